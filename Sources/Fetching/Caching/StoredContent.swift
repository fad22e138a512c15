/// An entry with its body open; both belong together and stay readable when the entry is replaced or removed.
struct StoredContent: Sendable {
    let key: CacheKey
    let entry: CacheEntry
    let file: CacheFile

    /// Whether the bytes of a request, nil for all, are there.
    func covers(_ range: Range<Int64>?) -> Bool {
        guard let range else { return entry.isComplete }
        return entry.present.contains(clamped(range))
    }

    /// The part of a range that lies before the end, if the end is known.
    func clamped(_ range: Range<Int64>) -> Range<Int64> {
        guard let total = entry.total else { return max(0, range.lowerBound)..<max(0, range.upperBound) }
        return ByteRange.clamped(range, length: total)
    }
}
