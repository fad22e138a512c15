import Archives
import FoundationEssentials
import Glibc

/// The bytes of a PDF file, read by ranges in a few requests of moderate size.
///
/// A request to a device costs a round trip. The first request therefore reads the end of the file, which has the
/// cross-reference and usually the catalogue and the document information. If the cross-reference begins before, one
/// request reads the rest of it. Later requests read whole blocks, and more of them if a read continues where the last
/// one ended.
package final class PDFInput {
    /// The size of the first request, in bytes from the end of the file. It begins with a block.
    package static let tailBytes = 16 << 10
    /// The block size of later requests, in bytes.
    package static let blockBytes = 16 << 10
    /// The largest file, in bytes, that the first request reads completely.
    static let wholeBytes = tailBytes + 2 * blockBytes
    /// The largest number of blocks of a cross-reference that one request reads.
    private static let mostOfCrossReference = 8
    /// The largest number of blocks in a request that continues where the last one ended.
    private static let mostReadAhead = 16
    /// The largest number of blocks that are kept in memory.
    private static let mostKept = 1_024

    /// The length of the file in bytes.
    let length: Int
    /// The number of bytes requested so far.
    private(set) var bytesRead = 0
    /// The number of requests sent so far.
    private(set) var requests = 0

    private let source: any ByteSource
    private let limit: Int
    private var blocks: [Int: [UInt8]] = [:]
    private var lastBlock = -2
    private var readAhead = 1

    /// Reads the length of the source and the end of the file.
    init(_ source: any ByteSource, limit: Int) throws(PDFFault) {
        self.source = source
        self.limit = limit
        let length: Int64
        do { length = try source.length } catch { throw .source(error) }
        guard let length = Int(exactly: length), length >= 0, length < Int.max / 4 else {
            throw .malformed("The file has an invalid length.")
        }
        self.length = length
        guard length > 0 else { return }
        let first = length <= Self.wholeBytes ? 0 : (length - Self.tailBytes) / Self.blockBytes
        try load(first, through: (length - 1) / Self.blockBytes)
    }

    /// Reads `count` bytes from `offset`, or fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(PDFFault) -> [UInt8] {
        guard offset >= 0, count > 0, offset < length else { return [] }
        let end = offset + min(count, length - offset)
        let first = offset / Self.blockBytes
        let last = (end - 1) / Self.blockBytes
        try fetch(first, through: last)
        var result: [UInt8] = []
        result.reserveCapacity(end - offset)
        for index in first...last {
            guard let block = blocks[index] else { break }
            let start = index * Self.blockBytes
            let low = max(offset - start, 0)
            let high = min(end - start, block.count)
            guard low < high else { break }
            result += block[low..<high]
        }
        return result
    }

    /// The parts of the file that are in memory, in order; adjacent parts are joined.
    var loaded: [(offset: Int, bytes: [UInt8])] {
        var parts: [(offset: Int, bytes: [UInt8])] = []
        for (index, block) in blocks.sorted(by: { $0.key < $1.key }) {
            let offset = index * Self.blockBytes
            if let last = parts.last, last.offset + last.bytes.count == offset {
                parts[parts.count - 1].bytes += block
            } else {
                parts.append((offset, block))
            }
        }
        return parts
    }

    /// Reads the bytes from `offset` to the end of the file in one request, if they are few.
    func readCrossReference(at offset: Int) throws(PDFFault) {
        guard offset >= 0, offset < length else { return }
        let first = offset / Self.blockBytes
        var end = first
        while blocks[end] == nil, end * Self.blockBytes < length, end - first <= Self.mostOfCrossReference {
            end += 1
        }
        guard end > first, end - first <= Self.mostOfCrossReference else { return }
        try load(first, through: end - 1)
    }

    /// Loads the missing blocks, with one request for each run of them.
    private func fetch(_ first: Int, through last: Int) throws(PDFFault) {
        var index = first
        while index <= last {
            if blocks[index] != nil {
                index += 1
                continue
            }
            var end = index
            while end < last, blocks[end + 1] == nil { end += 1 }
            readAhead = index == lastBlock + 1 ? min(readAhead * 2, Self.mostReadAhead) : 1
            let lastOfFile = (length - 1) / Self.blockBytes
            while end < lastOfFile, end - index + 1 < readAhead, blocks[end + 1] == nil { end += 1 }
            try load(index, through: end)
            lastBlock = end
            index = end + 1
        }
    }

    private func load(_ first: Int, through last: Int) throws(PDFFault) {
        let offset = first * Self.blockBytes
        let count = min((last + 1) * Self.blockBytes, length) - offset
        guard count <= limit - bytesRead else {
            throw .limit("Reading it would take more than \(limit) bytes of the file.")
        }
        bytesRead += count
        requests += 1
        let data: Data
        do { data = try source.read(at: Int64(offset), count: count) } catch { throw .source(error) }
        if blocks.count + (last - first + 1) > Self.mostKept { blocks.removeAll() }
        let bytes = [UInt8](data)
        for index in first...last {
            let start = (index - first) * Self.blockBytes
            // If the file became shorter after its length was read, the blocks at its end are empty.
            blocks[index] =
                start < bytes.count ? Array(bytes[start..<min(start + Self.blockBytes, bytes.count)]) : []
        }
    }
}
