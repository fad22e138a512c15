import FoundationEssentials

/// The beginning and the end of a source.
public struct SourceEnds: Sendable, Equatable {
    /// Bytes of the source.
    public var length: Int64
    /// The first bytes.
    public var head: Data
    /// The last bytes, but for those that are among the first.
    public var tail: Data

    /// The ends of a source.
    public init(length: Int64, head: Data, tail: Data) {
        self.length = length
        self.head = head
        self.tail = tail
    }
}
