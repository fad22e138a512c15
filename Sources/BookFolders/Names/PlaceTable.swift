/// Finds the indexes of values in a list by keys that are derived from the values, without storing the keys.
///
/// It returns all indexes with the same hash, so the caller must compare the values. An entry takes about twenty
/// bytes. A dictionary with the keys and a list for each would take two hundred.
struct PlaceTable {
    private struct Entry {
        var hash: UInt32
        var place: Int32
        /// The previous entry with the same end of the hash; -1 for none.
        var next: Int32
    }

    private var entries: [Entry] = []
    /// The last entry for each end of a hash; the count is a power of two.
    private var heads: [Int32] = []

    /// Creates an empty table.
    init() {}

    /// Adds an index below 2³¹.
    mutating func insert(_ key: some Hashable, at place: Int) {
        if entries.count == heads.count { grow() }
        entries.append(Entry(hash: Self.hash(key), place: Int32(place), next: -1))
        link(entries.count - 1)
    }

    /// The indexes whose keys have this hash, in the order in which they were added.
    func places(of key: some Hashable) -> [Int] {
        guard !heads.isEmpty else { return [] }
        let hash = Self.hash(key)
        var (places, next) = ([Int](), heads[head(of: hash)])
        while next >= 0 {
            let entry = entries[Int(next)]
            if entry.hash == hash { places.append(Int(entry.place)) }
            next = entry.next
        }
        return places.reversed()
    }

    private mutating func grow() {
        heads = Array(repeating: -1, count: max(16, heads.count * 2))
        for index in entries.indices { link(index) }
    }

    private mutating func link(_ index: Int) {
        let head = head(of: entries[index].hash)
        entries[index].next = heads[head]
        heads[head] = Int32(index)
    }

    private func head(of hash: UInt32) -> Int { Int(hash) & (heads.count - 1) }

    private static func hash(_ key: some Hashable) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(key)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
