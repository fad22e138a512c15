import FoundationEssentials

/// A source that somebody else owns: closing it does nothing. An archive opened from it cannot take it away.
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
