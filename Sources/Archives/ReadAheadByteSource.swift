import FoundationEssentials
import Synchronization

/// Reads an expensive source in blocks and keeps them, so that many small reads become few large ones.
///
/// Concurrent reads are serialized.
///
/// ```swift
/// let book = HTTPFetcher().get(href: "https://example.com/emma.mobi")
/// let source = ReadAheadByteSource(ResourceByteSource(book))
/// print(try source.read(at: 0, count: 32))
/// print(try source.read(at: 60, count: 8))  // from memory
/// source.close()
/// ```
public final class ReadAheadByteSource: ByteSource {
    private struct State {
        /// The length, which is known after both ends of the source were read at once.
        var length: Int64?
        var tail: Data?
        var blocks: [Int64: Data] = [:]
        /// The blocks in order of last use, the latest at the end.
        var order: [Int64] = []
        /// The block after the last one that was fetched, where a sequential read would continue.
        var next: Int64 = -1
        /// The number of blocks to fetch for the next sequential read.
        var ahead = 1
    }

    private let source: any ByteSource
    private let settings: ReadAhead
    private let state = Mutex(State())

    /// Creates a source that reads `source` and closes it with itself.
    public init(_ source: any ByteSource, _ settings: ReadAhead = ReadAhead()) {
        self.source = source
        var settings = settings
        settings.block = max(512, settings.block)
        self.settings = settings
    }

    /// False, because reads of the underlying source are expensive.
    public var isNear: Bool { false }

    /// The length of the underlying source. If the source can return both ends along with it, they are kept, because
    /// callers that request the length usually read the ends next.
    public var length: Int64 {
        get throws(ByteSourceError) {
            try state.withLock { state throws(ByteSourceError) in try knownLength(&state) }
        }
    }

    /// Reads bytes from the kept blocks, or else from the source in whole blocks.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let length = try length
        let start = min(max(0, offset), length)
        let end = start + min(Int64(max(0, count)), length - start)
        guard start < end else { return try source.read(at: start, count: 0) }
        return try state.withLock { state throws(ByteSourceError) in
            if start >= length - Int64(settings.tail) {
                return try tailBytes(&state, start..<end, length: length)
            }
            if end - start > Int64(settings.kept / 2) {
                return try source.read(at: start, count: Int(end - start))
            }
            return try blockBytes(&state, start..<end, length: length)
        }
    }

    /// Releases the kept blocks and closes the source.
    public func close() {
        source.close()
        state.withLock { $0 = State() }
    }

    private func knownLength(_ state: inout State) throws(ByteSourceError) -> Int64 {
        if let length = state.length { return length }
        guard let ends = try source.ends(head: settings.block, tail: settings.tail) else {
            return try source.length
        }
        let length = max(0, ends.length)
        state.length = length
        let (head, tail) = (Int64(ends.head.count), Int64(ends.tail.count))
        // Use only complete ends; a shorter one is read again when needed.
        if head > 0, head == min(Int64(settings.block), length) {
            state.blocks[0] = ends.head
            touch(&state, 0)
            state.next = 1
        }
        if head + tail == length {
            state.tail = Data((ends.head + ends.tail).suffix(settings.tail))
        } else if tail == Int64(settings.tail) {
            state.tail = ends.tail
        }
        return length
    }

    private func tailBytes(
        _ state: inout State, _ range: Range<Int64>, length: Int64
    ) throws(ByteSourceError) -> Data {
        let tailStart = max(0, length - Int64(settings.tail))
        let tail: Data
        if let known = state.tail {
            tail = known
        } else {
            let kept = keptBytes(state, from: tailStart)
            let rest = tailStart + Int64(kept.count)
            tail = kept + (try source.read(at: rest, count: Int(length - rest)))
            state.tail = tail
        }
        return tail.part(from: range.lowerBound - tailStart, count: range.upperBound - range.lowerBound)
    }

    /// The contiguous bytes in the kept blocks from `start` on.
    private func keptBytes(_ state: State, from start: Int64) -> Data {
        let size = Int64(settings.block)
        var bytes = Data()
        while let block = state.blocks[(start + Int64(bytes.count)) / size] {
            let skipped = (start + Int64(bytes.count)) % size
            guard Int64(block.count) > skipped else { break }
            bytes += block.part(from: skipped, count: Int64(block.count) - skipped)
        }
        return bytes
    }

    private func blockBytes(
        _ state: inout State, _ range: Range<Int64>, length: Int64
    ) throws(ByteSourceError) -> Data {
        let size = Int64(settings.block)
        let first = range.lowerBound / size
        let last = (range.upperBound - 1) / size
        if let missing = (first...last).first(where: { state.blocks[$0] == nil }) {
            try fetch(&state, missing...last, length: length)
        }
        var result = Data()
        result.reserveCapacity(Int(range.upperBound - range.lowerBound))
        for number in first...last {
            guard let block = state.blocks[number] else { break }
            let start = max(range.lowerBound, number * size) - number * size
            let end = min(range.upperBound, (number + 1) * size) - number * size
            result += block.part(from: start, count: end - start)
            // A short block is where the source ended before its length. Nothing after it is returned.
            if Int64(block.count) < end { break }
        }
        for number in first...last { touch(&state, number) }
        forget(&state)
        return result
    }

    /// Fetches blocks with one read. The number of blocks grows while reads are sequential.
    private func fetch(
        _ state: inout State, _ wanted: ClosedRange<Int64>, length: Int64
    ) throws(ByteSourceError) {
        let size = Int64(settings.block)
        let isReadingOn = wanted.lowerBound == state.next
        state.ahead = isReadingOn ? min(state.ahead * 2, max(1, settings.longest / settings.block)) : 1
        let lastBlock = (length - 1) / size
        let end = min(lastBlock, max(wanted.upperBound, wanted.lowerBound + Int64(state.ahead) - 1))
        let bytes = try bytes(wanted.lowerBound * size, min(length, (end + 1) * size), state.tail, length)
        for number in wanted.lowerBound...end {
            let block = bytes.part(from: (number - wanted.lowerBound) * size, count: size)
            state.blocks[number] = block
            touch(&state, number)
        }
        state.next = end + 1
    }

    /// The bytes from `start` to `end`, with as many of them as possible taken from the kept tail.
    private func bytes(
        _ start: Int64, _ end: Int64, _ tail: Data?, _ length: Int64
    ) throws(ByteSourceError) -> Data {
        let tailStart = length - Int64(tail?.count ?? 0)
        guard let tail, end > tailStart else { return try source.read(at: start, count: Int(end - start)) }
        let wanted = max(0, tailStart - start)
        let bytes = try source.read(at: start, count: Int(wanted))
        // A source that ends before its length has no tail that could follow.
        guard bytes.count == wanted else { return bytes }
        return bytes + tail.part(from: max(0, start - tailStart), count: end - max(start, tailStart))
    }

    private func touch(_ state: inout State, _ number: Int64) {
        if state.order.last == number { return }
        if let place = state.order.lastIndex(of: number) { state.order.remove(at: place) }
        state.order.append(number)
    }

    private func forget(_ state: inout State) {
        let most = max(1, settings.kept / settings.block)
        guard state.order.count > most else { return }
        for number in state.order.prefix(state.order.count - most) { state.blocks[number] = nil }
        state.order.removeFirst(state.order.count - most)
    }
}

/// Settings for a source in which each read is a round trip. Sizes are in bytes.
///
/// ```swift
/// var settings = ReadAhead()
/// settings.block = 128 << 10  // fewer requests to a slow server
/// settings.kept = 32 << 20
/// let book = HTTPFetcher().get(href: "https://example.com/emma.epub")
/// let archive = try ZipArchive.open(resource: book, readAhead: settings)
/// print(archive.entries.count)
/// archive.close()
/// ```
public struct ReadAhead: Sendable {
    /// The size of the first read of the end, which is kept. It covers an archive's end record, its longest comment,
    /// and the ZIP64 records.
    public var tail = 65_557 + 76
    /// The size of a block. Reads are extended to whole blocks.
    public var block = 32 << 10
    /// The largest number of bytes that are read ahead while reads are sequential.
    public var longest = 1 << 20
    /// The total size of the kept blocks. A source that is not longer than this is never read twice.
    public var kept = 5 << 20

    /// Creates the default settings, which suit HTTP and devices.
    public init() {}
}
