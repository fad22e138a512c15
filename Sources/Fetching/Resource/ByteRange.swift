/// The range table of the proposal (fetcher reference 4.2), in one place.
package enum ByteRange {
    /// The part of a content of `length` bytes that a request asks for; nil asks for all. Never traps.
    package static func clamped(_ range: Range<Int64>?, length: Int64) -> Range<Int64> {
        let length = max(0, length)
        guard let range else { return 0..<length }
        let start = min(max(0, range.lowerBound), length)
        return start..<min(max(start, range.upperBound), length)
    }
}
