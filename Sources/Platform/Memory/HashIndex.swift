/// Finds the positions of values in a list by hashes of their keys, without storing the keys.
///
/// A hash may have several positions, so the caller compares the values. An entry takes about twenty bytes. A
/// dictionary with the keys and a list for each would take two hundred.
///
/// Public, because other modules call its functions for each book, and Swift neither inlines nor specializes
/// `package` functions in another module.
public struct HashIndex: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var hash: UInt32
        @usableFromInline var position: Int32
        /// The previous entry with the same head; -1 for none.
        @usableFromInline var next: Int32

        @inlinable
        init(hash: UInt32, position: Int32, next: Int32) {
            (self.hash, self.position, self.next) = (hash, position, next)
        }
    }

    @usableFromInline var entries: [Entry] = []
    /// The last entry for the low bits of a hash; the count is a power of two.
    @usableFromInline var heads: [Int32] = []

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

    /// Adds a position below 2³¹ with the hash of its key.
    @inlinable
    public mutating func insert(_ hash: UInt32, at position: Int) {
        if entries.count == heads.count { grow() }
        entries.append(Entry(hash: hash, position: Int32(position), next: -1))
        link(entries.count - 1)
    }

    /// The position with this hash for which `isTheOne` returns true, the last one first; nil if there is none.
    @inlinable
    public func position(of hash: UInt32, _ isTheOne: (Int) -> Bool) -> Int? {
        guard !heads.isEmpty else { return nil }
        var next = heads[head(of: hash)]
        while next >= 0 {
            let entry = entries[Int(next)]
            if entry.hash == hash, isTheOne(Int(entry.position)) { return Int(entry.position) }
            next = entry.next
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

    @usableFromInline
    mutating func grow() {
        heads = Array(repeating: -1, count: max(16, heads.count * 2))
        for index in entries.indices { link(index) }
    }

    @inlinable
    mutating func link(_ index: Int) {
        let head = head(of: entries[index].hash)
        entries[index].next = heads[head]
        heads[head] = Int32(index)
    }

    @inlinable
    func head(of hash: UInt32) -> Int { Int(hash) & (heads.count - 1) }
}
