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

    private var blocks: [[UInt8]] = []
    private var places: [Place] = []

    /// No runs.
    package init() {}

    /// The number of runs.
    package var count: Int { places.count }

    /// Adds a run of at most 4 GiB at the end.
    package mutating func append(_ run: [UInt8]) {
        // A large run gets a block of its own, so that at most a quarter of each other block stays empty.
        let isLarge = run.count > Self.blockSize / 4
        if isLarge {
            blocks.append(run)
        } else {
            if blocks.isEmpty || blocks[blocks.count - 1].count + run.count > Self.blockSize {
                blocks.append([])
                // Short lists get by with less.
                if blocks.count > 1 { blocks[blocks.count - 1].reserveCapacity(Self.blockSize) }
            }
            blocks[blocks.count - 1].append(contentsOf: run)
        }
        let block = blocks.count - 1
        places.append(
            Place(
                block: UInt32(block), start: UInt32(blocks[block].count - run.count),
                count: UInt32(run.count)))
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
