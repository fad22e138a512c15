/// How to read a source for which each read is a round trip (fetcher reference 9.5).
public struct ReadAhead: Sendable {
    /// Bytes at the end that are read by the first read of the end and kept: an archive's end record, its longest comment, the
    /// ZIP64 records.
    public var tail = 65_557 + 76
    /// Bytes of a block. Reads are widened to whole blocks.
    public var block = 32 << 10
    /// Bytes that are read ahead at most while somebody reads on and on.
    public var longest = 1 << 20
    /// Bytes of blocks that are kept; of a source that is not longer nothing is read twice.
    public var kept = 5 << 20

    /// The usual numbers, for HTTP and devices.
    public init() {}
}
