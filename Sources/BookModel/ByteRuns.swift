import Glibc

/// A list of byte arrays, stored in a few large blocks of memory. It stores a long list of values compactly; the
/// caller decodes each value when it is needed.
///
/// A value takes its encoded bytes and twelve more for its place. As an element of an array it would take several
/// times as much memory: space for every value that it does not have, and an allocation for each of its texts.
///
/// ```swift
/// var titles = ByteRuns()
/// for title in ["Emma", "Dracula"] { titles.append(Array(title.utf8)) }
/// print(titles.withBytes(at: 1) { String(decoding: $0, as: UTF8.self) })  // Dracula
/// ```
public struct ByteRuns: Sendable {
    @usableFromInline struct Place: BitwiseCopyable, Sendable {
        @usableFromInline var block: UInt32
        @usableFromInline var start: UInt32
        @usableFromInline var count: UInt32
    }

    /// The approximate size of a block in bytes.
    private static let blockSize = 1 << 20
    /// The number of blocks after which a list counts as long.
    private static let manyBlocks = 4
    /// The size of each further block of a long list. The system allocates such a block in units of `hugePage`, which
    /// is much faster: allocating page by page took a quarter of the time of a list of 100,000 books.
    private static let largeSize = 16 << 20
    private static let hugePage = 2 << 20

    @usableFromInline private(set) var blocks: [[UInt8]] = []
    @usableFromInline private(set) var places: [Place] = []
    /// The block to which runs are appended, and the number of bytes that still fit; nil before the first run.
    private var open: (block: Int, room: Int)?
    /// The number of blocks that were added for small runs.
    private var opened = 0

    /// Creates an empty list.
    public init() {}

    /// The number of blocks, for tests.
    var blockCount: Int { blocks.count }

    /// The number of runs.
    public var count: Int { places.count }

    /// Appends a run of at most 4 GiB.
    public mutating func append(_ run: [UInt8]) {
        // A large run gets its own block, so that at most a quarter of any other block stays empty.
        let block: Int
        if run.count > Self.blockSize / 4 {
            // Copy the run, because its array may have more capacity than it needs.
            blocks.append(run.withUnsafeBytes { Array($0) })
            block = blocks.count - 1
        } else {
            let place = open.flatMap { $0.room < run.count ? nil : $0 } ?? addBlock()
            block = place.block
            blocks[block].append(contentsOf: run)
            open = (block, place.room - run.count)
        }
        places.append(
            Place(
                block: UInt32(block), start: UInt32(blocks[block].count - run.count),
                count: UInt32(run.count)))
    }

    /// Adds a run at the end that `write` puts into the memory that it is given.
    ///
    /// - Parameters:
    ///   - room: the size of that memory in bytes, at most 256 KiB.
    ///   - write: returns the size of the run in bytes. If it is 0, no run is added.
    public mutating func append<Failure: Error>(
        room: Int, _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(room <= Self.blockSize / 4)
        let place = open.flatMap { $0.room < room ? nil : $0 } ?? addBlock()
        open = place
        let start = blocks[place.block].count
        try blocks[place.block].append(addingCapacity: room) { (free) throws(Failure) in
            try free.withUnsafeMutableBufferPointer { (memory, written) throws(Failure) in
                written = try write(UnsafeMutableRawBufferPointer(memory))
            }
        }
        let count = blocks[place.block].count - start
        open = (place.block, place.room - count)
        guard count > 0 else { return }
        places.append(Place(block: UInt32(place.block), start: UInt32(start), count: UInt32(count)))
    }

    /// Removes the last run. Its bytes stay in memory.
    public mutating func removeLast() { places.removeLast() }

    /// Adds a block to which runs are appended.
    private mutating func addBlock() -> (block: Int, room: Int) {
        let isLong = opened >= Self.manyBlocks
        let room = isLong ? Self.largeSize : Self.blockSize
        var block: [UInt8] = []
        // The first block is not reserved, because short lists need less.
        if opened > 0 { block.reserveCapacity(room) }
        if isLong { Self.adviseHugePages(block) }
        blocks.append(block)
        opened += 1
        return (blocks.count - 1, room)
    }

    /// Asks the system to allocate a large block in large units. If the system ignores this advice, it allocates page
    /// by page.
    private static func adviseHugePages(_ block: [UInt8]) {
        block.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let first = start.alignedUp(toMultipleOf: hugePage)
            let end = (start + min(block.capacity, largeSize)).alignedDown(toMultipleOf: hugePage)
            guard first < end else { return }
            _ = madvise(UnsafeMutableRawPointer(mutating: first), end - first, Int32(MADV_HUGEPAGE))
        }
    }

    /// Adds runs that are ranges of a block, without copying them. The ranges must be inside the block, and the block
    /// must be smaller than 4 GiB.
    public mutating func append(_ block: [UInt8], at ranges: [Range<Int>]) {
        blocks.append(block)
        for range in ranges {
            places.append(
                Place(
                    block: UInt32(blocks.count - 1), start: UInt32(range.lowerBound),
                    count: UInt32(range.count)))
        }
    }

    /// Calls a closure with the bytes of the run at a position.
    @inlinable
    public func withBytes<Result>(at position: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let place = places[position]
        return blocks[Int(place.block)].withUnsafeBytes { block in
            body(UnsafeRawBufferPointer(rebasing: block[Int(place.start)...].prefix(Int(place.count))))
        }
    }
}
