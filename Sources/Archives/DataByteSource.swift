import FoundationEssentials
import Synchronization

/// Bytes in memory as a source.
public final class DataByteSource: ByteSource {
    private let data: Mutex<Data?>
    private let count: Int

    /// A source of these bytes.
    public init(_ data: Data) {
        self.data = Mutex(data)
        count = data.count
    }

    /// The number of bytes, also after closing.
    public var length: Int64 { Int64(count) }

    /// Near.
    public var isNear: Bool { true }

    /// A copy of the bytes asked for.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        guard let data = data.withLock({ $0 }) else { throw .closed(nil) }
        let start = Int(min(max(0, offset), Int64(data.count)))
        let end = start + min(max(0, count), data.count - start)
        // A slice would begin at another index than 0, which callers do not expect.
        return Data(data[(data.startIndex + start)..<(data.startIndex + end)])
    }

    /// Lets go of the bytes.
    public func close() { data.withLock { $0 = nil } }
}

/// A source that another object owns: closing it does nothing, so an archive opened from it cannot close it.
package struct BorrowedByteSource: ByteSource {
    private let source: any ByteSource

    /// Borrows `source`, which must stay open as long as this is read.
    package init(_ source: any ByteSource) { self.source = source }

    /// As near as the lender.
    package var isNear: Bool { source.isNear }

    /// The lender's length.
    package var length: Int64 { get throws(ByteSourceError) { try source.length } }

    /// Reads the lender.
    package func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        try source.read(at: offset, count: count)
    }

    /// Reads the lender.
    package func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        try source.read(at: offset, into: buffer)
    }

    /// The lender's ends.
    package func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? {
        try source.ends(head: head, tail: tail)
    }

    /// Does nothing.
    package func close() {}
}
