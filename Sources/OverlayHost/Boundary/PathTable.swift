/// Which position has which hash: open addressing, positions and half of the hash in one word, so that looking up and
/// growing rarely touch the records themselves.
struct PathTable {
    /// Bytes that a position takes at most: the table has up to eight slots for each, and up to two more while it grows.
    static let perPosition = 10 * MemoryLayout<UInt64>.stride

    /// 0 is empty; else the upper half of the hash, and the position plus 1.
    private var slots: [UInt64] = []
    private var count = 0
    /// Differs from list to list, so that nobody can prepare paths that collide.
    private let seed = UInt64.random(in: 0...UInt64.max)

    /// The first position of a hash that `isSame` agrees to.
    @inline(__always)
    func find(_ hash: UInt64, _ isSame: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var index = Int(hash >> 32) & mask
        while slots[index] != 0 {
            let slot = slots[index]
            if slot >> 32 == hash >> 32 {
                let position = Int(slot & 0xFFFF_FFFF) - 1
                if isSame(position) { return position }
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Adds a position; the caller knows that it is new.
    @inline(__always)
    mutating func insert(_ hash: UInt64, _ position: Int) {
        if (count + 1) * 2 > slots.count { grow() }
        count += 1
        place((hash & 0xFFFF_FFFF_0000_0000) | UInt64(position + 1))
    }

    @inline(__always)
    private mutating func place(_ slot: UInt64) {
        let mask = slots.count - 1
        var index = Int(slot >> 32) & mask
        while slots[index] != 0 { index = (index + 1) & mask }
        slots[index] = slot
    }

    @inline(never)
    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: max(64, old.count * 4))
        for slot in old where slot != 0 { place(slot) }
    }

    /// A hash of bytes, eight at a time.
    @inline(__always)
    func hash(_ data: UnsafeRawPointer?, _ count: Int) -> UInt64 {
        var hash = seed ^ UInt64(count)
        guard let data else { return hash }
        var offset = 0
        while offset + 8 <= count {
            hash =
                (hash ^ data.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            offset += 8
        }
        var rest: UInt64 = 1
        while offset < count {
            rest = rest << 8 | UInt64(data.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        hash = (hash ^ rest) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 32
    }
}
