/// Finds the positions of paths in a list by their hashes. Needs 10 to 20 bytes for each path, a third of the size of
/// a dictionary.
struct PathPositions: Sendable {
    /// The slots of a hash table with linear probing. A slot contains the hash in the upper bits and the position plus 1 in the
    /// lower bits, or 0 if it is empty. A new path is usually detected with one memory access. The number of slots is
    /// a power of two, of which at most four fifths are used.
    private var slots: [UInt64] = []
    /// The number of positions.
    private var count = 0

    /// The hash of a path, which differs in each run of the program.
    static func hash(_ path: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: path)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The position with this hash for which `isTheOne` returns true; nil if there is none.
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

    /// Adds the hash of the path at the next position.
    mutating func append(_ hash: UInt32) {
        count += 1
        if count * 5 > slots.count * 4 {
            let old = slots
            slots = Array(repeating: 0, count: max(16, old.count * 2))
            // Keep the order of equal hashes.
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
