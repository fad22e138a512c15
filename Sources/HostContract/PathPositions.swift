/// Where the paths of a list are, by their hashes: 10 to 20 bytes for each, a third of what a dictionary takes.
struct PathPositions: Sendable {
    /// A hash above one more than its position, at or behind the place of the hash; 0 where none is. One look at the memory
    /// tells a path that is new. Their number is a power of two, and at most four of five are taken.
    private var slots: [UInt64] = []
    /// How many positions there are.
    private var count = 0

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
        var place = Int(hash) & mask
        while slots[place] != 0 {
            if UInt32(slots[place] >> 32) == hash {
                let position = Int(UInt32(truncatingIfNeeded: slots[place])) - 1
                if isTheOne(position) { return position }
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds the path of the next position by its hash.
    mutating func append(_ hash: UInt32) {
        count += 1
        if count * 5 > slots.count * 4 {
            let old = slots
            slots = Array(repeating: 0, count: max(16, old.count * 2))
            // In their order, by which equal hashes are found.
            let first = old.firstIndex(of: 0) ?? 0
            for slot in old[first...] + old[..<first] where slot != 0 { place(slot) }
        }
        place(UInt64(hash) << 32 | UInt64(count))
    }

    private mutating func place(_ slot: UInt64) {
        let mask = slots.count - 1
        var place = Int(slot >> 32) & mask
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = slot
    }
}
