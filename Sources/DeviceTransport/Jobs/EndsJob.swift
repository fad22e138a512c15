import DeviceWire

/// Reads the beginning and the end of a file, and what the device says about it.
///
/// Stat and open travel together, then the reads of both ends: two round trips, however large the file is.
final class EndsJob: AFCJob {
    private enum Slot {
        static let stat = 0
        static let open = 1
        static let seek = 2
        /// The reads of the parts follow, one slot each.
        static let part = 3
    }

    private struct Part {
        var range: Range<UInt64>
        var bytes: [UInt8] = []
        /// Bytes asked for that have not come.
        var asked = 0
        var isOver = false

        var missing: Int { Int(clamping: range.upperBound - range.lowerBound) - bytes.count }
    }

    private let path: String
    private let head: Int
    private let tail: Int
    private let chunk: Int
    private let meter: ProgressMeter
    private var status: FileStatus?
    private var handle: UInt64?
    private var parts: [Part] = []
    /// Where the device will read next.
    private var position: UInt64 = 0
    private var isClosing = false

    init(_ index: Int, _ path: String, head: Int, tail: Int, chunk: Int, _ meter: ProgressMeter) {
        self.path = path
        self.head = head
        self.tail = tail
        self.chunk = chunk
        self.meter = meter
        super.init(index: index)
    }

    override var subject: String { path }
    override var isSmall: Bool { true }

    /// What was read, or why nothing was; the job lets go of it.
    func result() -> ItemResult<FileEnds> {
        if let failure { return .failure(failure) }
        guard let status else {
            return .failure(TransportError(.internalFailure, "the ends of a file have no size"))
        }
        defer { parts = [] }
        let bytes = parts.map(\.bytes)
        guard bytes.count == 1 else {
            return .success(FileEnds(status: status, head: bytes.first ?? [], tail: bytes.last ?? []))
        }
        return .success(
            FileEnds(
                status: status, head: Array(bytes[0].prefix(head)), tail: Array(bytes[0].dropFirst(head))))
    }

    override func begin(on channel: AFCChannel) {
        channel.send(
            .getFileInfo(path: path), for: self, slot: Slot.stat, expecting: RequestJob.maximumListing)
        channel.send(.fileOpen(path: path, mode: AFCOpenMode.read.rawValue), for: self, slot: Slot.open)
    }

    override func take(_ answer: AFCAnswer, slot: Int, on channel: AFCChannel) {
        do throws(TransportError) {
            switch slot {
            case Slot.stat: try plan(FileStatus(answer, path))
            case Slot.open: handle = try answer.handle(path)
            case Slot.seek: if let error = answer.failure(path) { throw error }
            default: try take(answer, part: slot - Slot.part)
            }
        } catch {
            fail(error)
        }
        if failure != nil { return close(on: channel) }
        ask(channel)
    }

    /// Decides what is read: a short file whole, of a longer one both ends.
    private func plan(_ status: FileStatus) throws(TransportError) {
        guard status.kind == .file else {
            throw status.kind == .folder
                ? TransportError(.isFolder, "this is a folder")
                : TransportError(.notFound, "this is not a file")
        }
        self.status = status
        let (head, tail) = (UInt64(head), UInt64(tail))
        parts =
            status.size <= head + tail
            ? [Part(range: 0..<status.size)]
            : [Part(range: 0..<head), Part(range: status.size - tail..<status.size)]
        meter.expects(Int64(clamping: min(status.size, head + tail)))
    }

    private func take(_ answer: AFCAnswer, part index: Int) throws(TransportError) {
        guard parts.indices.contains(index) else { throw .violation("an answer to no question") }
        let asked = parts[index].asked
        parts[index].asked = 0
        if case .status(.endOfData) = answer {
            parts[index].isOver = true
            return
        }
        let bytes = try answer.data(path)
        guard bytes.count <= asked else { throw .violation("more bytes than were asked for") }
        if bytes.isEmpty { parts[index].isOver = true }
        // What was asked behind a short answer was read from another place than thought.
        if bytes.count < asked { position = .max }
        parts[index].bytes += bytes
        meter.moved(bytes.count)
    }

    /// Asks for all that is missing of each part, as long as nothing of it is on its way.
    private func ask(_ channel: AFCChannel) {
        guard let handle, status != nil, !isClosing else { return }
        for index in parts.indices where !parts[index].isOver && parts[index].asked == 0 {
            let count = min(parts[index].missing, chunk)
            guard count > 0 else { continue }
            let start = parts[index].range.lowerBound + UInt64(parts[index].bytes.count)
            if position != start {
                channel.send(
                    .fileSeek(
                        handle: handle, origin: AFCSeekOrigin.start.rawValue, offset: Int64(clamping: start)),
                    for: self, slot: Slot.seek)
            }
            channel.send(
                .fileRead(handle: handle, length: UInt64(count)), for: self, slot: Slot.part + index,
                expecting: count, down: count)
            parts[index].asked = count
            position = start + UInt64(count)
        }
        if parts.allSatisfy({ $0.asked == 0 && ($0.isOver || $0.missing <= 0) }) { close(on: channel) }
    }

    /// Sends the close, whose answer is of no interest for a file that was only read.
    private func close(on channel: AFCChannel) {
        if let handle { channel.closeLater(handle) }
        handle = nil
        isClosing = true
        done()
    }

    override func abandon(_ error: TransportError, on channel: AFCChannel) {
        fail(error)
        if handle != nil || owed == 0 { close(on: channel) } else { done() }
    }

    override func reset() -> Bool {
        meter.moved(-parts.reduce(0) { $0 + $1.bytes.count })
        if let status { meter.expects(-Int64(clamping: min(status.size, UInt64(head + tail)))) }
        (status, handle, parts, position, isClosing) = (nil, nil, [], 0, false)
        return true
    }
}
