import Archives
import FoundationEssentials

/// The container of MOBI files: a header and a table of records (Palm OS file format specification).
///
/// Records are read one by one when they are asked for.
struct PalmDatabase {
    /// How many bytes the first request takes: header, table and first record of most books.
    static let firstBytes = 64 << 10
    /// The length of the header before the table of records.
    private static let headerLength = 78

    /// The name in the header: at most 31 characters, often with underscores for blanks.
    let name: [UInt8]
    /// Type and creator, such as `BOOKMOBI`.
    let kind: String
    /// Where each record begins; the table of a damaged file is as long as it is believable.
    let offsets: [Int]
    /// Whether the table has fewer usable entries than the header says.
    let isTableDamaged: Bool
    private let source: any ByteSource
    private let length: Int
    private let first: Data

    /// Reads the header and the table.
    ///
    /// - Throws: when the source fails, or does not hold a Palm database.
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

    /// Where a record is; nil when there is none of that number.
    func range(of index: Int) -> Range<Int>? {
        guard offsets.indices.contains(index) else { return nil }
        let end = index + 1 < offsets.count ? offsets[index + 1] : length
        return offsets[index]..<max(end, offsets[index])
    }

    /// At most `limit` bytes from the beginning of a record; fewer when the file ends.
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
    /// The bytes could not be had.
    case source(ByteSourceError)
    /// The file says something that cannot be; one sentence.
    case malformed(String)
}

/// Numbers in bytes, most significant byte first; nothing outside of the bytes is ever touched.
struct BigEndianBytes {
    private let data: [UInt8]

    init(_ data: Data) {
        self.data = [UInt8](data)
    }

    var count: Int { data.count }

    /// The 16-bit number at an offset; nil when it does not lie wholly inside.
    func uint16(_ offset: Int) -> UInt16? {
        guard offset >= 0, offset <= data.count - 2 else { return nil }
        return UInt16(data[offset]) << 8 | UInt16(data[offset + 1])
    }

    /// The 32-bit number at an offset; nil when it does not lie wholly inside.
    func uint32(_ offset: Int) -> Int? {
        guard let high = uint16(offset), let low = uint16(offset + 2) else { return nil }
        return Int(high) << 16 | Int(low)
    }

    /// The bytes from an offset on, as many as there are.
    func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < data.count, count > 0 else { return [] }
        return data[offset..<offset + min(count, data.count - offset)]
    }
}
