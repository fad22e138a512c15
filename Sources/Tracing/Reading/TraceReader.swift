import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls
import Platform

/// Reads a recording one record at a time. Use from one thread.
package final class TraceReader {
    /// The name and version of the program that made it.
    package private(set) var host = ""
    /// The major and minor version of the contract with which it was made.
    package private(set) var contract: (major: UInt32, minor: UInt32) = (0, 0)
    /// When it began, in nanoseconds since 1970-01-01 00:00 UTC.
    package private(set) var began: UInt64 = 0
    /// The most bytes of each content that it keeps.
    package private(set) var contentLimit: UInt64 = 0
    /// The signal with which the recorded program crashed; nil if none is known.
    package private(set) var signal: Int32?
    /// Whether a program with the same table of signatures made it.
    package private(set) var isSameContract = false

    private let file: FileDescriptor
    private let fileSize: Int
    private var place = 0
    private var plans = RecordedPlans()
    private var openCalls = OpenCalls()
    private var hasEnded = false

    /// Opens a recording and reads its header.
    package init(path: String) throws(TraceError) {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
            throw TraceError.unreadable(errno)
        }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
            throw TraceError(.unreadable, "The recording must be a regular file.")
        }
        self.file = file
        fileSize = Int(status.st_size)
        try readHeader()
    }

    private func bytes(at place: Int, _ count: Int) throws(TraceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let number = file.number
        guard let got = bytes.withUnsafeMutableBytes({ readFully(number, into: $0, at: Int64(place)) }) else {
            throw TraceError.unreadable(errno)
        }
        return got == count ? bytes : Array(bytes[..<got])
    }

    // MARK: header

    private func readHeader() throws(TraceError) {
        let fixed = try bytes(at: 0, TraceFormat.headerSize)
        guard fixed.count == TraceFormat.headerSize, fixed.starts(with: TraceFormat.mark) else {
            throw TraceError(
                .noRecording, "The file is not an overlayhost recording.",
                hint: "Make a recording with: overlayhost COMMAND --trace FILE.")
        }
        var decoder = TraceDecoder(fixed, from: 8, sizes: [])
        let version = try decoder.word32()
        guard version == TraceFormat.version else {
            throw TraceError(
                .otherVersion,
                "The recording has format version \(version), but this program supports version "
                    + "\(TraceFormat.version).",
                hint: version > TraceFormat.version ? "Update overlayhost." : nil)
        }
        let size = Int(try decoder.word32())
        contract = (try decoder.word32(), try decoder.word32())
        guard contract.major == OVL_ABI_MAJOR else {
            throw TraceError(
                .otherVersion,
                "The recording was made with contract version \(contract.major), but this program "
                    + "supports version \(OVL_ABI_MAJOR)."
            )
        }
        isSameContract = try decoder.word64() == TraceFormat.identity
        began = try decoder.word64()
        contentLimit = try decoder.word64()
        let count = Int(try decoder.word32())
        let signal = Int32(truncatingIfNeeded: try decoder.word32())
        if signal != 0 { self.signal = signal }
        guard size >= TraceFormat.headerSize, size <= TraceFormat.largestHeader, size & 7 == 0 else {
            throw TraceDecoder.damaged("its header has \(size) bytes")
        }
        let whole = try bytes(at: 0, size)
        guard whole.count == size else { throw TraceDecoder.damaged("it ends in its header") }
        decoder = TraceDecoder(whole, from: TraceFormat.headerSize, sizes: [])
        host = try decoder.text()
        plans = try RecordedPlans(count, &decoder)
        place = size
    }

    // MARK: records

    /// The next record; nil at the end. After an error, the rest of the file cannot be read.
    package func next() throws(TraceError) -> TraceEvent? {
        guard !hasEnded, place < fileSize else { return nil }
        hasEnded = true
        let head = try bytes(at: place, TraceFormat.recordSize)
        var decoder = TraceDecoder(head, sizes: [])
        guard head.count >= 4 else { throw TraceDecoder.damaged("it ends in the middle of a record") }
        let length = try decoder.word32()
        // The file is allocated in pieces, so after the last record of a killed program there are zeros.
        if length == 0 { return nil }
        guard head.count == TraceFormat.recordSize else {
            throw TraceDecoder.damaged("it ends in the middle of a record")
        }
        let isUnfinished = length == TraceFormat.unfinished
        guard isUnfinished || (length >= UInt32(TraceFormat.recordSize) && length & 7 == 0) else {
            throw TraceDecoder.damaged("a record has \(length) bytes")
        }
        guard isUnfinished || Int(length) <= fileSize - place else {
            throw TraceDecoder.damaged("it ends in the middle of a record")
        }
        let body =
            isUnfinished
            ? [] : try bytes(at: place + TraceFormat.recordSize, Int(length) - TraceFormat.recordSize)
        guard isUnfinished || body.count == Int(length) - TraceFormat.recordSize else {
            throw TraceDecoder.damaged("it ends in the middle of a record")
        }
        guard let event = try plans.event(head, body, isUnfinished: isUnfinished) else { return nil }
        try openCalls.add(event)
        if case .end = event.content { return event }
        if isUnfinished { return event }
        place += Int(length)
        hasEnded = false
        return event
    }
}

/// The records and functions of a recording, by their indexes in it.
struct RecordedPlans {
    private var records: [RecordPlan?]
    private var functions: [[FunctionPlan?]]
    /// The size of each record in bytes in the recording, by the index of the record in this program.
    private var sizes: [Int]

    /// The plans of this program.
    init() {
        records = ContractPlans.shared.records
        functions = ContractPlans.shared.records.map(\.functions)
        sizes = ContractPlans.shared.records.map(\.size)
    }

    /// Reads the records that a recording names. A name means the same in every minor version, because the contract
    /// is only extended.
    init(_ count: Int, _ decoder: inout TraceDecoder) throws(TraceError) {
        records = []
        functions = []
        sizes = ContractPlans.shared.records.map { _ in 0 }
        guard count <= 4096 else { throw TraceDecoder.damaged("it names \(count) records") }
        for _ in 0..<count {
            let name = try decoder.text()
            let size = Int(try decoder.word32())
            let number = Int(try decoder.word32())
            guard number <= 4096 else { throw TraceDecoder.damaged("it names \(number) functions") }
            let plan = ContractPlans.shared.record(name)
            var known: [FunctionPlan?] = []
            for _ in 0..<number {
                let name = try decoder.text()
                known.append(plan?.functions.lazy.compactMap { $0 }.first { $0.name == name })
            }
            if let plan {
                guard size <= plan.size else {
                    throw TraceError(
                        .otherVersion,
                        "The recording was made with a newer minor version of the contract (its \(name) is larger).",
                        hint: "Update overlayhost.")
                }
                sizes[plan.index] = size
            }
            records.append(plan)
            functions.append(known)
        }
    }

    /// An event from the head and body of a record; nil for a kind that readers must skip.
    func event(_ head: [UInt8], _ body: [UInt8], isUnfinished: Bool) throws(TraceError) -> TraceEvent? {
        var decoder = TraceDecoder(head, from: 4, sizes: [])
        guard let kind = TraceFormat.Kind(rawValue: try decoder.word8()) else {
            throw TraceDecoder.damaged("a record has an unknown kind")
        }
        let flags = try decoder.word8()
        let thread = UInt16(try decoder.word8()) | UInt16(try decoder.word8()) << 8
        let time = try decoder.word64()
        let (call, target) = (try decoder.word32(), try decoder.word32())
        let place = try decoder.word32()
        let overlay = try decoder.word32()
        var values = TraceDecoder(body, sizes: sizes)
        var function: FunctionPlan?
        let content: TraceEvent.Content
        switch kind {
        case .call:
            let plan = try self.function(place)
            function = plan
            content = .call(isUnfinished ? nil : try values.arguments(plan))
        case .answer:
            let plan = try self.function(place)
            function = plan
            guard !isUnfinished else { return nil }
            let (result, written) = try values.results(plan)
            content = .answer(result, written)
        case .overlay:
            guard !isUnfinished else { return nil }
            content = .overlay(
                TraceRecorder.Overlay(
                    number: target, id: try values.text(), name: try values.text(),
                    version: try values.text(),
                    file: try values.text(), isolation: try values.text(), minor: try values.word32()))
        case .breakdown:
            function = try self.function(place)
            guard !isUnfinished else { return nil }
            content = .breakdown(
                TraceRecorder.Breakdown(
                    clause: try values.text(), lastService: try values.text(), words: try values.text()))
        case .end:
            guard !isUnfinished else { return nil }
            content = .end(isDiskFull: try values.word32() == TraceRecorder.End.diskFull.rawValue)
        }
        return TraceEvent(
            content: content, time: time, thread: thread, call: call, target: target, overlay: overlay,
            isFromOverlay: flags & TraceFormat.fromOverlay != 0, function: function)
    }

    private func function(_ place: UInt32) throws(TraceError) -> FunctionPlan {
        let (record, index) = (Int(place & 0xFFFF), Int(place >> 16))
        guard functions.indices.contains(record), functions[record].indices.contains(index) else {
            throw TraceDecoder.damaged("a record names a missing function")
        }
        guard let function = functions[record][index] else {
            throw TraceError(
                .otherVersion, "The recording contains calls of a function unknown to this program.",
                hint: "Update overlayhost.")
        }
        return function
    }
}
