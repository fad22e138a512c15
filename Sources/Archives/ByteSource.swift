import FoundationEssentials

/// Bytes of known length that can be read at any offset: a file, memory, a resource far away.
///
/// Any thread may call any member at any time, also several at once. Calls may block.
public protocol ByteSource: Sendable {
    /// How many bytes there are, as far as is known before reading them.
    var length: Int64 { get throws(ByteSourceError) }

    /// Whether reading costs little, so that a damaged file may be searched from end to end. False unless a source says so.
    var isNear: Bool { get }

    /// The `count` bytes at `offset`; fewer only where the source ends, none at or after its end.
    ///
    /// Negative numbers count as 0. No memory is set aside for bytes that the source has not.
    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data

    /// Reads into memory of the caller and returns how many bytes were written, fewer than asked only at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int

    /// The first `head` and the last `tail` bytes at once, for a source that gives both for less than two reads; nil unless a
    /// source says otherwise.
    func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds?

    /// Lets go of what the source holds. Later reads fail with `closed`; a second call does nothing.
    func close()
}

extension ByteSource {
    /// Not near.
    public var isNear: Bool { false }

    /// Gives nothing.
    public func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? { nil }

    /// Reads by way of a `Data`.
    public func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        let data = try read(at: offset, count: buffer.count)
        let count = min(data.count, buffer.count)
        data.copyBytes(to: buffer, count: count)
        return count
    }
}
