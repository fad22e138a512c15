import Glibc

/// Runs of bytes in the order in which they came, in few large blocks of memory: a long list whose elements are made of
/// their bytes when they are asked for.
///
/// A value of a few hundred bytes takes as many bytes here, and twelve more for its place. As an element of an array it takes
/// several times as many: room for every value that it does not have, and an allocation for each of its texts.
package struct ByteRuns: Sendable {
    private struct Place: BitwiseCopyable {
        var block: UInt32
        var start: UInt32
        var count: UInt32
    }

    /// Bytes of a block, about.
    private static let blockSize = 1 << 20
    /// Blocks after which a list counts as long.
    private static let manyBlocks = 4
    /// Bytes of each further block of a long list. The system gives them in units of `hugePage`, which takes a fraction of the time:
    /// page by page it was a quarter of what a list of a hundred thousand books took.
    private static let largeSize = 16 << 20
    private static let hugePage = 2 << 20

    private var blocks: [[UInt8]] = []
    private var places: [Place] = []
    /// The block to which runs are appended, and the bytes that it may still take; nil before the first.
    private var open: (block: Int, room: Int)?
    /// Blocks that were opened for runs.
    private var opened = 0

    /// No runs.
    package init() {}

    /// The number of blocks, which tests look at.
    var blockCount: Int { blocks.count }

    /// The number of runs.
    package var count: Int { places.count }

    /// Adds a run of at most 4 GiB at the end.
    package mutating func append(_ run: [UInt8]) {
        // A large run gets its own block, so that at most a quarter of each other block stays empty.
        let block: Int
        if run.count > Self.blockSize / 4 {
            // A copy that takes no more than its bytes.
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
    package mutating func append<Failure: Error>(
        room: Int, _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        let place = open.flatMap { $0.room < room ? nil : $0 } ?? addBlock()
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
    package mutating func removeLast() { places.removeLast() }

    /// Adds a block to which runs are appended.
    private mutating func addBlock() -> (block: Int, room: Int) {
        let isLong = opened >= Self.manyBlocks
        let room = isLong ? Self.largeSize : Self.blockSize
        var block: [UInt8] = []
        // Short lists get by with less.
        if opened > 0 { block.reserveCapacity(room) }
        if isLong { Self.adviseHugePages(block) }
        blocks.append(block)
        opened += 1
        return (blocks.count - 1, room)
    }

    /// Asks the system for memory of a large block in large units. Only advice: without it the memory comes page by page.
    private static func adviseHugePages(_ block: [UInt8]) {
        block.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let first = start.alignedUp(toMultipleOf: hugePage)
            let end = (start + min(block.capacity, largeSize)).alignedDown(toMultipleOf: hugePage)
            guard first < end else { return }
            _ = madvise(UnsafeMutableRawPointer(mutating: first), end - first, Int32(MADV_HUGEPAGE))
        }
    }

    /// Adds the runs at these places of a block, which stays as it is. The ranges lie in the block, which has less than 4 GiB.
    package mutating func append(_ block: [UInt8], at ranges: [Range<Int>]) {
        blocks.append(block)
        for range in ranges {
            places.append(
                Place(
                    block: UInt32(blocks.count - 1), start: UInt32(range.lowerBound),
                    count: UInt32(range.count)))
        }
    }

    /// Looks at the bytes of the run at a position.
    package func withBytes<Result>(at position: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let place = places[position]
        return blocks[Int(place.block)].withUnsafeBytes { block in
            body(UnsafeRawBufferPointer(rebasing: block[Int(place.start)...].prefix(Int(place.count))))
        }
    }
}
