import Archives
import FoundationEssentials

/// Implements the range table of the proposal.
package enum ByteRange {
    /// The part of a content of `length` bytes that a request means; nil means everything. Never traps.
    package static func clamped(_ range: Range<Int64>?, length: Int64) -> Range<Int64> {
        let length = max(0, length)
        guard let range else { return 0..<length }
        let start = min(max(0, range.lowerBound), length)
        return start..<min(max(start, range.upperBound), length)
    }
}

extension Data {
    /// The requested bytes, or all bytes if nil, as data that begin at index 0.
    package func bytes(in range: Range<Int64>?) -> Data {
        guard let range else { return self }
        let part = ByteRange.clamped(range, length: Int64(count))
        return self.part(from: part.lowerBound, count: part.upperBound - part.lowerBound)
    }
}
