import Archives
import FoundationEssentials

/// The container of MOBI files: a header and a table of records (Palm OS file format specification).
///
/// Each record is read only when it is requested.
struct PalmDatabase {
    /// The size of the first read, in bytes. In most books it covers the header, the table and the first record.
    static let firstBytes = 64 << 10
    /// The length of the header before the table of records.
    private static let headerLength = 78

    /// The name in the header: at most 31 characters, often with underscores in place of spaces.
    let name: [UInt8]
    /// The type and creator, such as `BOOKMOBI`.
    let kind: String
    /// The offset of each record. In a damaged file, the plausible beginning of the table.
    let offsets: [Int]
    /// Whether the table has fewer usable entries than the header says.
    let isTableDamaged: Bool
    private let source: any ByteSource
    private let length: Int
    private let first: Data

    /// Reads the header and the table.
    ///
    /// - Throws: an error if the source fails or does not hold a Palm database.
    init(_ source: any ByteSource) throws(MOBIFault) {
        self.source = source
        do {
            length = Int(clamping: try source.length)
            first = try source.read(at: 0, count: Self.firstBytes)
        } catch {
            throw .source(error)
        }
        let header = BigEndianBytes(first)
        guard first.count >= Self.headerLength, let count = header.uint16(76) else {
            throw .malformed("The file is too short.")
        }
        name = Array(header.bytes(0, 32).prefix { $0 != 0 })
        kind = String(decoding: header.bytes(60, 8), as: UTF8.self)
        var table = header
        let tableEnd = Self.headerLength + Int(count) * 8
        if tableEnd > first.count, first.count < length {
            do { table = BigEndianBytes(try source.read(at: 0, count: tableEnd)) } catch {
                throw .source(error)
            }
        }
        var offsets: [Int] = []
        offsets.reserveCapacity(Int(count))
        var previous = tableEnd
        for index in 0..<Int(count) {
            guard let offset = table.uint32(Self.headerLength + index * 8), offset >= previous,
                offset <= length
            else {
                break
            }
            offsets.append(offset)
            previous = offset
        }
        self.offsets = offsets
        isTableDamaged = offsets.count < Int(count)
    }

    /// The byte range of a record; nil if no record has that index.
    func range(of index: Int) -> Range<Int>? {
        guard offsets.indices.contains(index) else { return nil }
        let end = index + 1 < offsets.count ? offsets[index + 1] : length
        return offsets[index]..<max(end, offsets[index])
    }

    /// The first bytes of a record, at most `limit`; fewer if the file ends early.
    func record(_ index: Int, limit: Int) throws(MOBIFault) -> Data {
        guard let range = range(of: index) else { throw .malformed("Record \(index) is missing.") }
        let count = min(range.count, limit)
        if range.lowerBound + count <= first.count {
            return Data(first.dropFirst(range.lowerBound).prefix(count))
        }
        do { return try source.read(at: Int64(range.lowerBound), count: count) } catch {
            throw .source(error)
        }
    }
}

/// Why a part of a MOBI file could not be read.
enum MOBIFault: Error {
    /// The source could not supply the bytes.
    case source(ByteSourceError)
    /// The file contains an invalid value; the text is one sentence.
    case malformed(String)
}

/// Reads big-endian numbers from bytes, with bounds checks.
struct BigEndianBytes {
    private let data: [UInt8]

    init(_ data: Data) {
        self.data = [UInt8](data)
    }

    var count: Int { data.count }

    /// The 16-bit number at an offset; nil if it is not completely within the bytes.
    func uint16(_ offset: Int) -> UInt16? {
        guard offset >= 0, offset <= data.count - 2 else { return nil }
        return UInt16(data[offset]) << 8 | UInt16(data[offset + 1])
    }

    /// The 32-bit number at an offset; nil if it is not completely within the bytes.
    func uint32(_ offset: Int) -> Int? {
        guard let high = uint16(offset), let low = uint16(offset + 2) else { return nil }
        return Int(high) << 16 | Int(low)
    }

    /// The bytes that start at an offset: `count` of them, or fewer at the end.
    func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < data.count, count > 0 else { return [] }
        return data[offset..<offset + min(count, data.count - offset)]
    }
}
