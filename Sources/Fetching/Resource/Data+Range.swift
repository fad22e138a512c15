import Archives
import FoundationEssentials

extension Data {
    /// The bytes that a request asks for, nil for all, as data that begin at index 0.
    package func bytes(in range: Range<Int64>?) -> Data {
        guard let range else { return self }
        let part = ByteRange.clamped(range, length: Int64(count))
        return self.part(from: part.lowerBound, count: part.upperBound - part.lowerBound)
    }
}
