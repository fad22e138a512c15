/// Judges by the memory of a process after each round of the same work whether rounds leak.
///
/// Memory that grows is not a leak by itself: a garbage collector or an allocator may keep it for later rounds. A leak
/// grows in every block of rounds, and its lowest points rise as well.
struct MemoryGrowth {
    /// What is known after a round.
    enum Verdict: Equatable {
        /// More rounds are needed.
        case open
        /// The memory hardly grew in the first block.
        case steady
        /// The memory grew in the first blocks, and then stopped growing.
        case settled
        /// The memory grew in every block, or very much.
        case leaking
    }

    /// How many bytes the memory may grow in a block.
    static let slack = 6 << 20
    /// The largest number of blocks.
    static let mostBlocks = 8
    /// How many bytes the memory may grow at most, because a worker has only a limited amount.
    static let most = 512 << 20

    /// The number of rounds in a block.
    let block: Int
    private let first: Int
    /// The number of rounds so far.
    private(set) var rounds = 0
    /// How many bytes the memory has grown since the beginning.
    private(set) var growth = 0
    private var lowest = Int.max
    /// The lowest point of the block before.
    private var formerLowest: Int?

    /// - Parameters:
    ///   - first: the memory in bytes before the first round.
    ///   - block: the number of rounds in a block, at least 1.
    init(from first: Int, block: Int) {
        self.first = first
        self.block = max(1, block)
    }

    /// Adds the memory in bytes after a round.
    mutating func add(_ memory: Int) -> Verdict {
        rounds += 1
        growth = memory - first
        lowest = min(lowest, memory)
        guard rounds % block == 0 else { return .open }
        defer { (formerLowest, lowest) = (lowest, .max) }
        if growth >= Self.most { return .leaking }
        guard let former = formerLowest else { return growth < Self.slack ? .steady : .open }
        guard lowest - former >= Self.slack else { return .settled }
        return rounds < block * Self.mostBlocks ? .open : .leaking
    }
}
