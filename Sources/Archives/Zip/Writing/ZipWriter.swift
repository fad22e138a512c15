/// Writes a ZIP archive sequentially: the result of each call is the next part of the file.
///
/// The content is not kept, so archives of any size can be sent while they are created. ZIP64 is used if the archive
/// needs it (ZIP specification 4.3, 4.4). Used by one thread at a time.
///
/// ```swift
/// let writer = ZipWriter()
/// var book = try writer.add("mimetype", Array("application/epub+zip".utf8), .stored)
/// book += try writer.add("OPS/chapter-1.xhtml", Array("<html/>".utf8))
/// book += try writer.finish()
/// try Data(book).write(to: URL(fileURLWithPath: "/books/emma.epub"))
/// ```
public final class ZipWriter {
    /// The way in which the content of an entry is stored.
    public enum Compression: Sendable {
        /// Not compressed.
        case stored
        /// Compressed with deflate.
        case deflated
    }

    private enum State: Equatable { case ready, inEntry, finished }

    private var state = State.ready
    private var position: UInt64
    private var directory = ZipBytes()
    private var count: UInt64 = 0
    private var names: Set<[UInt8]> = []
    private var open: OpenEntry?

    /// The state of the entry that is being written.
    private struct OpenEntry {
        var record: ZipWrittenRecord
        let deflater: Deflater
    }

    /// Creates a writer.
    ///
    /// - Parameter position: the number of bytes before the archive in its file.
    public init(after position: UInt64 = 0) { self.position = position }

    /// The number of bytes returned so far, plus those before the archive.
    public var length: UInt64 { position }

    /// Adds an entry with its content. Its length and checksum precede the content, as the strictest readers require.
    ///
    /// - Parameters:
    ///  - compression: `deflated` falls back to `stored` if that is shorter.
    ///  - modified: the modification time in seconds since 1970-01-01 00:00 UTC.
    /// - Throws: `malformed` for a name that is not allowed or already exists, `tooLarge` for 4 GiB and more.
    public func add(
        _ path: String, _ content: UnsafeRawBufferPointer, _ compression: Compression = .deflated,
        modified: Int64? = nil
    ) throws(ArchiveError) -> [UInt8] {
        guard state == .ready else { throw Self.outOfOrder }
        guard let length = UInt32(exactly: content.count), length < .max else {
            throw ArchiveError(.tooLarge, "An entry of 4 GiB must be written in pieces.", subject: path)
        }
        var record = try begin(path, modified)
        record.length = UInt64(length)
        record.crc32 = Checksum.crc32(content)
        var deflated: [UInt8] = []
        if compression == .deflated {
            try Deflater(compresses: true).step(content, isLast: true, into: &deflated)
        }
        let isDeflated = compression == .deflated && deflated.count < content.count
        record.method = isDeflated ? 8 : 0
        record.storedLength = isDeflated ? UInt64(deflated.count) : record.length
        var bytes = record.localHeader
        if isDeflated { bytes += deflated } else { bytes.append(contentsOf: content) }
        note(record)
        return gave(bytes)
    }

    /// Adds an entry with its content.
    public func add(
        _ path: String, _ content: [UInt8], _ compression: Compression = .deflated, modified: Int64? = nil
    ) throws(ArchiveError) -> [UInt8] {
        let result: Result<[UInt8], ArchiveError> = content.withUnsafeBytes { bytes in
            Result { () throws(ArchiveError) in try add(path, bytes, compression, modified: modified) }
        }
        return try result.get()
    }

    /// Begins an entry whose content is added piece by piece. Its length and checksum follow the content.
    ///
    /// - Parameters:
    ///  - compression: `stored` wraps the bytes in deflate blocks without compression, because a length that follows
    ///    the content can be found only if the content marks its own end.
    ///  - expected: the length of the content; nil if it is not known. If it is nil, or almost 4 GiB or more, the
    ///    entry uses ZIP64, which some old readers do not support.
    public func begin(
        _ path: String, _ compression: Compression = .deflated, expecting expected: UInt64? = nil,
        modified: Int64? = nil
    ) throws(ArchiveError) -> [UInt8] {
        guard state == .ready else { throw Self.outOfOrder }
        var record = try begin(path, modified)
        record.method = 8
        record.hasDescriptor = true
        // Deflate makes incompressible content longer by less than a thousandth.
        record.isWide = expected.map { $0 > UInt64(UInt32.max) - (16 << 20) } ?? true
        open = OpenEntry(record: record, deflater: try Deflater(compresses: compression == .deflated))
        state = .inEntry
        return gave(record.localHeader)
    }

    /// Adds the next piece of the entry's content.
    ///
    /// - Throws: `tooLarge` for an entry that becomes far longer than expected.
    public func append(_ content: UnsafeRawBufferPointer) throws(ArchiveError) -> [UInt8] {
        try step(content, isLast: false)
    }

    /// Adds the next piece of the entry's content.
    public func append(_ content: [UInt8]) throws(ArchiveError) -> [UInt8] {
        let result: Result<[UInt8], ArchiveError> = content.withUnsafeBytes { bytes in
            Result { () throws(ArchiveError) in try step(bytes, isLast: false) }
        }
        return try result.get()
    }

    /// Ends the entry.
    public func end() throws(ArchiveError) -> [UInt8] {
        var bytes = try step(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
        guard let record = open?.record else { throw Self.outOfOrder }
        bytes += gave(record.descriptor)
        note(record)
        open = nil
        state = .ready
        return bytes
    }

    /// Returns the directory, which ends the archive. Nothing may follow it.
    public func finish() throws(ArchiveError) -> [UInt8] {
        guard state == .ready else { throw Self.outOfOrder }
        state = .finished
        let end = ZipEnding(start: position, length: UInt64(directory.bytes.count), count: count)
        return gave(directory.bytes + end.bytes)
    }

    private func step(_ content: UnsafeRawBufferPointer, isLast: Bool) throws(ArchiveError) -> [UInt8] {
        guard state == .inEntry, var entry = open else { throw Self.outOfOrder }
        entry.record.crc32 = Checksum.crc32(content, continuing: entry.record.crc32)
        entry.record.length += UInt64(content.count)
        var bytes: [UInt8] = []
        try entry.deflater.step(content, isLast: isLast, into: &bytes)
        entry.record.storedLength += UInt64(bytes.count)
        guard entry.record.isWide || max(entry.record.length, entry.record.storedLength) < UInt32.max else {
            throw ArchiveError(.tooLarge, "The entry is longer than expected.")
        }
        open = entry
        return gave(bytes)
    }

    /// Creates a record for an entry that begins here.
    private func begin(_ path: String, _ modified: Int64?) throws(ArchiveError) -> ZipWrittenRecord {
        let name = Array(path.utf8)
        guard Self.isAllowed(name) else {
            throw ArchiveError(
                .malformed, "An archive must not contain an entry with this name.", subject: path)
        }
        guard names.insert(name).inserted else {
            throw ArchiveError(
                .malformed, "The archive already contains an entry with this name.", subject: path)
        }
        return ZipWrittenRecord(
            name: name, offset: position, time: modified.map { ZipTime(seconds: $0) } ?? .unknown)
    }

    /// Whether an entry of that name, when unpacked, stays below the target folder on every system.
    private static func isAllowed(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, name.count <= Int(UInt16.max), !name.contains(0),
            !name.contains(UInt8(ascii: "\\"))
        else { return false }
        let dot = UInt8(ascii: ".")
        return name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0 != [dot] && $0 != [dot, dot] }
    }

    private func note(_ record: ZipWrittenRecord) {
        directory.put(record.directoryRecord)
        count += 1
    }

    private func gave(_ bytes: [UInt8]) -> [UInt8] {
        position += UInt64(bytes.count)
        return bytes
    }

    private static var outOfOrder: ArchiveError {
        ArchiveError(.closed, "The calls of the writer are out of order.")
    }
}
