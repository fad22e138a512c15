/// Finds the positions of values in a list by hashes of their keys, without storing the keys.
///
/// A hash may have several positions, so the caller compares the values. A hash takes ten to twenty bytes. A
/// dictionary with the keys and a list for each would take two hundred.
///
/// The index is a hash table with linear probing, so most keys are found or missed with one look at memory. Equal
/// hashes share a slot and form a chain, so that many equal keys do not make the table slow.
///
/// Public, because other modules call its functions for each book, and Swift neither inlines nor specializes
/// `package` functions in another module.
public struct HashIndex: Sendable {
    /// A position of a hash that has several.
    @usableFromInline
    struct Link: Sendable {
        @usableFromInline var position: Int32
        /// The link of the position that was added before; -1 for none.
        @usableFromInline var previous: Int32

        @inlinable
        init(position: Int32, previous: Int32) { (self.position, self.previous) = (position, previous) }
    }

    /// A hash in the upper 32 bits, and in the lower ones its position plus 1, or with `isLink` the index of its last
    /// link; 0 if it is free. The count is a power of two, of which at most four fifths are used.
    @usableFromInline var slots: [UInt64] = []
    /// The number of slots in use.
    @usableFromInline var used = 0
    @usableFromInline var links: [Link] = []

    /// Creates an empty index.
    @inlinable
    public init() {}

    /// The hash of a key, which differs in each run of the program.
    @inlinable
    public static func hash(_ key: some Hashable) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(key)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The hash of the bytes of a key, which differs in each run of the program.
    @inlinable
    public static func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// Adds a position below 2³¹ - 1 with the hash of its key.
    @inlinable
    public mutating func insert(_ hash: UInt32, at position: Int) {
        if (used + 1) * 5 > slots.count * 4 { grow() }
        let place = place(of: hash)
        let value = UInt32(truncatingIfNeeded: slots[place])
        if value == 0 {
            used += 1
            slots[place] = UInt64(hash) << 32 | UInt64(position + 1)
            return
        }
        if value & Self.isLink == 0 { links.append(Link(position: Int32(value) - 1, previous: -1)) }
        let previous = value & Self.isLink == 0 ? Int32(links.count - 1) : Int32(value & ~Self.isLink)
        slots[place] = UInt64(hash) << 32 | UInt64(Self.isLink | UInt32(links.count))
        links.append(Link(position: Int32(position), previous: previous))
    }

    /// The position with this hash for which `isTheOne` returns true, the last one first; nil if there is none.
    @inlinable
    public func position(of hash: UInt32, _ isTheOne: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        let value = UInt32(truncatingIfNeeded: slots[place(of: hash)])
        if value == 0 { return nil }
        if value & Self.isLink == 0 { return isTheOne(Int(value) - 1) ? Int(value) - 1 : nil }
        var next = Int32(value & ~Self.isLink)
        while next >= 0 {
            let link = links[Int(next)]
            if isTheOne(Int(link.position)) { return Int(link.position) }
            next = link.previous
        }
        return nil
    }

    /// The positions with this hash, in the order in which they were added.
    @inlinable
    public func positions(of hash: UInt32) -> [Int] {
        var found: [Int] = []
        _ = position(of: hash) { position in
            found.append(position)
            return false
        }
        return found.reversed()
    }

    /// Set in the value of a slot that is the index of its last link, not a position plus 1.
    @usableFromInline static let isLink: UInt32 = 1 << 31

    /// The slot of a hash, or the free one for it.
    @inlinable
    func place(of hash: UInt32) -> Int {
        let mask = slots.count - 1
        var place = Int(hash) & mask
        while slots[place] != 0, UInt32(slots[place] >> 32) != hash { place = (place + 1) & mask }
        return place
    }

    @usableFromInline
    mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: max(16, old.count * 2))
        for slot in old where slot != 0 { slots[place(of: UInt32(slot >> 32))] = slot }
    }
}
