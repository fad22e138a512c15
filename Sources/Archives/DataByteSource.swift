import FoundationEssentials
import Synchronization

/// A byte source in memory.
///
/// ```swift
/// func paths(in download: Data) throws -> [String] {
///     let archive = try ZipArchive.open(source: DataByteSource(download))
///     defer { archive.close() }
///     return archive.entries.map(\.path)
/// }
/// ```
public final class DataByteSource: ByteSource {
    private let data: Mutex<Data?>
    private let count: Int

    /// Creates a source of these bytes.
    public init(_ data: Data) {
        self.data = Mutex(data)
        count = data.count
    }

    /// The number of bytes, also available after closing.
    public var length: Int64 { Int64(count) }

    /// True, because the bytes are in memory.
    public var isNear: Bool { true }

    /// Reads a copy of the requested bytes.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        guard let data = data.withLock({ $0 }) else { throw .closed(nil) }
        let start = Int(min(max(0, offset), Int64(data.count)))
        let end = start + min(max(0, count), data.count - start)
        // A slice would not start at index 0, as callers expect.
        return Data(data[(data.startIndex + start)..<(data.startIndex + end)])
    }

    /// Releases the bytes.
    public func close() { data.withLock { $0 = nil } }
}

/// A source that another object owns. Closing it does nothing, so an archive that is opened from it cannot close that
/// source.
package struct BorrowedByteSource: ByteSource {
    private let source: any ByteSource

    /// Borrows `source`, which must stay open while this is used.
    package init(_ source: any ByteSource) { self.source = source }

    /// Whether the borrowed source is near.
    package var isNear: Bool { source.isNear }

    /// The length of the borrowed source.
    package var length: Int64 { get throws(ByteSourceError) { try source.length } }

    /// Reads from the borrowed source.
    package func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        try source.read(at: offset, count: count)
    }

    /// Reads from the borrowed source.
    package func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        try source.read(at: offset, into: buffer)
    }

    /// Reads the ends of the borrowed source.
    package func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? {
        try source.ends(head: head, tail: tail)
    }

    /// Does nothing, because the owner closes the source.
    package func close() {}
}
