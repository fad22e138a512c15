import FoundationEssentials

/// The description of the central directory in the records at the end of an archive (ZIP specification 4.3.14 to
/// 4.3.16).
struct ZipEndRecord {
    /// The offset of the directory.
    var directoryStart: Int64
    /// The size of the directory in bytes.
    var directoryLength: Int64
    /// The number of records in the directory.
    var count: Int

    /// The size of the record in bytes, without its comment.
    static let size = 22
    /// The size of the record, the longest comment, and the ZIP64 records before it.
    static let longestTail = size + 0xFFFF + locatorSize + zip64Size

    private static let locatorSize = 20
    /// The size of the part of a ZIP64 record that is read, in bytes.
    static let zip64Size = 56
    private static let signature: UInt32 = 0x0605_4B50
    private static let locatorSignature: UInt32 = 0x0706_4B50
    private static let zip64Signature: UInt32 = 0x0606_4B50

    /// The result of searching the last bytes of an archive.
    enum Search {
        /// The record was found.
        case found(ZipEndRecord)
        /// The record refers to a ZIP64 record before the tail, at this offset.
        case elsewhere(offset: Int64)
        /// There is no record.
        case absent
        /// The record cannot be used.
        case refused(ArchiveError)
    }

    /// Searches for the record backwards from the end of the tail.
    ///
    /// A record counts only if its comment fits after it and its directory before it, so that a record inside a
    /// comment is skipped.
    static func search(_ tail: UnsafeRawBufferPointer, tailStart: Int64) -> Search {
        var refusal: ArchiveError?
        var position = tail.count - size
        let lowest = max(0, tail.count - size - 0xFFFF)
        while position >= lowest {
            defer { position -= 1 }
            guard tail[position] == 0x50, tail.uint32(at: position) == signature,
                position + size + Int(tail.uint16(at: position + 20)) <= tail.count
            else { continue }
            switch read(tail, at: position, tailStart: tailStart) {
            case .refused(let error): refusal = refusal ?? error
            case .absent: continue
            case let usable: return usable
            }
        }
        return refusal.map { .refused($0) } ?? .absent
    }

    private static func read(
        _ tail: UnsafeRawBufferPointer, at position: Int, tailStart: Int64
    ) -> Search {
        let disk = tail.uint16(at: position + 4)
        let directoryDisk = tail.uint16(at: position + 6)
        let countHere = tail.uint16(at: position + 8)
        let count = tail.uint16(at: position + 10)
        let length = tail.uint32(at: position + 12)
        let start = tail.uint32(at: position + 16)
        let isSaturated =
            disk == 0xFFFF || directoryDisk == 0xFFFF || countHere == 0xFFFF || count == 0xFFFF
            || length == 0xFFFF_FFFF || start == 0xFFFF_FFFF
        let locator = position - locatorSize
        if isSaturated, tail.uint32(at: locator) == locatorSignature, locator >= 0 {
            return zip64(tail, locator: locator, tailStart: tailStart)
        }
        guard disk == 0, directoryDisk == 0, countHere == count else {
            return .refused(ArchiveError(.unsupported, "The archive is spread over several disks."))
        }
        return checked(
            start: UInt64(start), length: UInt64(length), count: UInt64(count),
            end: tailStart + Int64(position))
    }

    private static func zip64(_ tail: UnsafeRawBufferPointer, locator: Int, tailStart: Int64) -> Search {
        guard tail.uint32(at: locator + 4) == 0, tail.uint32(at: locator + 16) <= 1 else {
            return .refused(ArchiveError(.unsupported, "The archive is spread over several disks."))
        }
        let end = tailStart + Int64(locator)
        guard let offset = Int64(exactly: tail.uint64(at: locator + 8)), offset <= end - Int64(zip64Size)
        else {
            return .refused(ArchiveError(.malformed, "The ZIP64 record is outside the archive."))
        }
        guard offset >= tailStart else { return .elsewhere(offset: offset) }
        let record = UnsafeRawBufferPointer(rebasing: tail[Int(offset - tailStart)...])
        return zip64Record(record, offset: offset)
    }

    /// Parses the ZIP64 record at the beginning of `record`, whose offset in the archive is `offset`.
    static func zip64Record(_ record: UnsafeRawBufferPointer, offset: Int64) -> Search {
        guard record.count >= zip64Size, record.uint32(at: 0) == zip64Signature else {
            return .refused(ArchiveError(.malformed, "The ZIP64 record is missing."))
        }
        let count = record.uint64(at: 32)
        guard record.uint32(at: 16) == 0, record.uint32(at: 20) == 0, record.uint64(at: 24) == count else {
            return .refused(ArchiveError(.unsupported, "The archive is spread over several disks."))
        }
        return checked(
            start: record.uint64(at: 48), length: record.uint64(at: 40), count: count, end: offset)
    }

    private static func checked(start: UInt64, length: UInt64, count: UInt64, end: Int64) -> Search {
        guard let start = Int64(exactly: start), let length = Int64(exactly: length),
            let count = Int(exactly: count), start <= end, length <= end - start
        else {
            return .refused(ArchiveError(.malformed, "The central directory is outside the archive."))
        }
        guard Int64(count) <= length / Int64(ZipDirectoryParser.recordSize) else {
            return .refused(ArchiveError(.malformed, "The central directory is too short for its entries."))
        }
        return .found(ZipEndRecord(directoryStart: start, directoryLength: length, count: count))
    }
}

/// Reads the little-endian numbers of ZIP records. Outside the buffer all bytes are 0, so that no input can cause a
/// trap. Callers must check lengths before they rely on a number.
extension UnsafeRawBufferPointer {
    /// The 16-bit number at an offset.
    func uint16(at offset: Int) -> UInt16 { number(at: offset) }
    /// The 32-bit number at an offset.
    func uint32(at offset: Int) -> UInt32 { number(at: offset) }
    /// The 64-bit number at an offset.
    func uint64(at offset: Int) -> UInt64 { number(at: offset) }

    @inline(__always)
    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return 0 }
        return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
