import Archives
import FoundationEssentials

/// The range table of the proposal, in one place.
package enum ByteRange {
    /// The part of a content of `length` bytes that a request asks for; nil asks for all. Never traps.
    package static func clamped(_ range: Range<Int64>?, length: Int64) -> Range<Int64> {
        let length = max(0, length)
        guard let range else { return 0..<length }
        let start = min(max(0, range.lowerBound), length)
        return start..<min(max(start, range.upperBound), length)
    }
}

extension Data {
    /// The bytes that a request asks for, nil for all, as data that begin at index 0.
    package func bytes(in range: Range<Int64>?) -> Data {
        guard let range else { return self }
        let part = ByteRange.clamped(range, length: Int64(count))
        return self.part(from: part.lowerBound, count: part.upperBound - part.lowerBound)
    }
}
