import FoundationEssentials
import Synchronization

/// Reads one entry of a ZIP archive.
///
/// A small deflated entry is inflated once and kept. For a large one, the reader keeps the inflater at the end of the
/// last range, and copies of it at intervals. Sequential reads then repeat no work, and going back costs little.
final class ZipEntryReader: ArchiveEntryReader {
    private struct State {
        /// The position of the data; nil until the local header was read.
        var dataStart: Int64?
        /// The content of a small entry, and whether its checksum is correct.
        var kept: (content: Data, isSound: Bool)?
        /// The inflater of a large entry.
        var inflation: DeflatedEntry?
    }

    private let contents: ZipContents
    private let entry: ZipEntry
    private let state = Mutex(State())
    private let inflated = Atomic<Int64>(0)

    init(contents: ZipContents, entry: ZipEntry) {
        self.contents = contents
        self.entry = entry
    }

    /// The number of bytes that this reader has inflated, including discarded ones.
    var bytesInflated: Int64 { inflated.load(ordering: .relaxed) }

    /// Whether this is a reader of that entry in the same archive.
    func isReader(of other: ZipEntry) -> Bool {
        other.directory === entry.directory && other.record.offset == entry.record.offset
    }

    func read() throws(ArchiveError) -> Data {
        try prepare()
        guard entry.length <= contents.limits.wholeEntry else {
            throw error(
                .tooLarge, "The entry is longer than \(contents.limits.wholeEntry) bytes.",
                "Read it in ranges."
            )
        }
        return try state.withLock { state throws(ArchiveError) in
            let whole = try keptOrWhole(&state)
            guard whole.isSound else { throw error(.corruptEntry, "The checksum is wrong.") }
            return whole.content
        }
    }

    func read(range: Range<Int64>) throws(ArchiveError) -> Data {
        try prepare()
        let start = min(max(0, range.lowerBound), entry.length)
        let end = min(max(start, range.upperBound), entry.length)
        guard start < end else { return Data() }
        return try state.withLock { state throws(ArchiveError) in
            if !entry.isCompressed {
                return try storedBytes(&state, start..<end)
            }
            if isKept {
                return try keptOrWhole(&state).content.part(from: start, count: end - start)
            }
            return try inflatedBytes(&state, start..<end)
        }
    }

    func reset() {
        state.withLock { $0 = State() }
    }

    // MARK: checks

    private var isKept: Bool { entry.isCompressed && entry.length <= contents.limits.keptEntry }

    /// Throws if the entry cannot be read, before any data are read.
    private func prepare() throws(ArchiveError) {
        try contents.checkOpen()
        guard entry.directory === contents.directory else {
            throw error(.notFound, "The entry belongs to a different archive.")
        }
        guard !entry.isEncrypted else { throw error(.encrypted, "The entry is encrypted.") }
        switch entry.method {
        case 0:
            guard entry.storedLength == entry.length else {
                throw error(.corruptEntry, "The entry is stored, but its two lengths differ.")
            }
        case 8:
            let (most, overflow) = entry.storedLength.multipliedReportingOverflow(by: contents.limits.ratio)
            guard overflow || entry.length <= most else {
                throw error(
                    .corruptEntry, "The entry declares more bytes than its compressed bytes can hold.")
            }
        default:
            throw error(
                .unsupported,
                "The entry uses compression method \(entry.method), which is not supported.")
        }
    }

    private func error(_ code: ArchiveError.Code, _ message: String, _ hint: String? = nil) -> ArchiveError {
        ArchiveError(code, message, subject: entry.path, hint: hint)
    }

    private var wrongLength: ArchiveError {
        error(.corruptEntry, "The entry does not have the length it declares.")
    }

    // MARK: reading

    /// The largest compressed size, in bytes, of an entry that is read together with its local header.
    private static let oneRead: Int64 = 1 << 20
    /// The space for the extra fields of a local header, in bytes, so that one read is usually sufficient.
    private static let expectedExtra = 64

    private func keptOrWhole(_ state: inout State) throws(ArchiveError) -> (content: Data, isSound: Bool) {
        if let kept = state.kept { return kept }
        let whole = try wholeContent(&state)
        if isKept { state.kept = whole }
        return whole
    }

    private func wholeContent(_ state: inout State) throws(ArchiveError) -> (content: Data, isSound: Bool) {
        let content: Data
        if entry.storedLength > Self.oneRead, entry.isCompressed {
            let inflation = try DeflatedEntry(
                contents: contents, start: try dataStart(&state), storedLength: entry.storedLength,
                length: entry.length, keepsCheckpoints: false)
            content = try inflation.bytes(0..<entry.length, inflated)
            guard try inflation.isAtEnd(inflated) else { throw wrongLength }
        } else {
            let stored = try storedWhole(&state)
            content = entry.isCompressed ? try inflateWhole(stored) : stored
        }
        guard Int64(content.count) == entry.length else { throw wrongLength }
        return (content, content.withUnsafeBytes { Checksum.crc32($0) } == entry.crc32)
    }

    /// The stored bytes of the entry. If it is small, they are read together with the local header.
    private func storedWhole(_ state: inout State) throws(ArchiveError) -> Data {
        guard state.dataStart == nil, entry.storedLength <= Self.oneRead else {
            return try exactly(at: try dataStart(&state), count: entry.storedLength)
        }
        let header = ZipDirectoryParser.localHeaderSize
        let room = contents.directory.start - entry.record.offset
        let expected = Int64(header + entry.record.rawNameLength + Self.expectedExtra) + entry.storedLength
        let bytes = try contents.read(at: entry.record.offset, count: Int(min(room, expected)))
        let start = try checkedDataStart(bytes)
        state.dataStart = start
        let skipped = start - entry.record.offset
        guard Int64(bytes.count) >= skipped + entry.storedLength else {
            return try exactly(at: start, count: entry.storedLength)
        }
        return bytes.part(from: skipped, count: entry.storedLength)
    }

    private func inflateWhole(_ stored: Data) throws(ArchiveError) -> Data {
        let inflater = try Inflater()
        // One byte more than declared, to detect an entry that is longer.
        let content = try Data.filling(Int(entry.length) + 1) { output throws(ArchiveError) in
            let result = stored.withUnsafeBytes { input in
                Result { () throws(ArchiveError) in try inflater.step(input, into: output, isWhole: true) }
            }
            let step = try named { () throws(ArchiveError) in try result.get() }
            inflated.wrappingAdd(Int64(step.produced), ordering: .relaxed)
            guard step.isAtEnd, step.produced == Int(entry.length) else { throw wrongLength }
            return step.produced
        }
        return content
    }

    private func storedBytes(_ state: inout State, _ range: Range<Int64>) throws(ArchiveError) -> Data {
        let start = try dataStart(&state)
        return try contents.read(
            at: start + range.lowerBound, count: Int(range.upperBound - range.lowerBound))
    }

    private func inflatedBytes(_ state: inout State, _ range: Range<Int64>) throws(ArchiveError) -> Data {
        let inflation: DeflatedEntry
        if let known = state.inflation {
            inflation = known
        } else {
            inflation = try DeflatedEntry(
                contents: contents, start: try dataStart(&state), storedLength: entry.storedLength,
                length: entry.length, keepsCheckpoints: true)
            state.inflation = inflation
        }
        return try named { () throws(ArchiveError) in try inflation.bytes(range, inflated) }
    }

    private func exactly(at offset: Int64, count: Int64) throws(ArchiveError) -> Data {
        let bytes = try contents.read(at: offset, count: Int(count))
        guard Int64(bytes.count) == count else {
            throw error(.malformed, "The archive ends inside the entry.")
        }
        return bytes
    }

    private func dataStart(_ state: inout State) throws(ArchiveError) -> Int64 {
        if let known = state.dataStart { return known }
        let header = try contents.read(at: entry.record.offset, count: ZipDirectoryParser.localHeaderSize)
        let start = try checkedDataStart(header)
        state.dataStart = start
        return start
    }

    /// The position of the data, by the lengths of name and extra fields in the local header.
    private func checkedDataStart(_ header: Data) throws(ArchiveError) -> Int64 {
        let (signature, name, extra) = header.withUnsafeBytes {
            ($0.uint32(at: 0), $0.uint16(at: 26), $0.uint16(at: 28))
        }
        guard header.count >= ZipDirectoryParser.localHeaderSize, signature == 0x0403_4B50 else {
            throw error(.malformed, "The local header is not where the central directory says it is.")
        }
        let start =
            entry.record.offset + Int64(ZipDirectoryParser.localHeaderSize) + Int64(name) + Int64(extra)
        guard start <= contents.directory.start - entry.storedLength else {
            throw error(.malformed, "The entry's data overlaps the central directory.")
        }
        return start
    }

    /// Adds the entry's path to errors that do not have a subject.
    private func named<Value>(_ body: () throws(ArchiveError) -> Value) throws(ArchiveError) -> Value {
        do throws(ArchiveError) {
            return try body()
        } catch {
            guard error.subject == nil else { throw error }
            throw self.error(error.code, error.message)
        }
    }
}
