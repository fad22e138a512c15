/// Where the paths of a list are, by their hashes: 12 to 24 bytes for each, a third of what a dictionary takes.
struct PathPositions: Sendable {
    /// One more than a position at or behind the place of its hash; 0 where none is. Their number is a power of two, and at
    /// most half of them are taken.
    private var slots: [UInt32] = []
    /// The hashes of the paths, by their positions.
    private var hashes: [UInt32] = []

    /// The hash of a path, which differs from one run of the program to the next.
    static func hash(_ path: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: path)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The position of a path with this hash that is the one; nil if there is none.
    @inline(__always)
    func position(of hash: UInt32, _ isTheOne: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if hashes[position] == hash, isTheOne(position) { return position }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds the path of the next position by its hash.
    mutating func append(_ hash: UInt32) {
        hashes.append(hash)
        guard hashes.count * 2 > slots.count else { return place(hashes.count - 1) }
        slots = Array(repeating: 0, count: max(16, slots.count * 2))
        for position in hashes.indices { place(position) }
    }

    private mutating func place(_ position: Int) {
        let mask = slots.count - 1
        var slot = Int(hashes[position]) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(position + 1)
    }
}
