import FoundationEssentials
import Synchronization

/// The state that an archive and the readers of its entries share: the source, the directory, the limits and the
/// counts.
final class ZipContents: Sendable {
    let directory: ZipDirectory
    let limits: ZipLimits
    let count: ReadCount
    private let source: any ByteSource
    private let isClosed = Atomic<Bool>(false)

    init(source: any ByteSource, directory: ZipDirectory, limits: ZipLimits, count: ReadCount) {
        self.source = source
        self.directory = directory
        self.limits = limits
        self.count = count
    }

    deinit { close() }

    /// Reads and counts bytes of the source; fewer than requested only at its end.
    func read(at offset: Int64, count wanted: Int) throws(ArchiveError) -> Data {
        try checkOpen()
        return try count.read(source, at: offset, count: wanted)
    }

    /// Throws if the archive was closed.
    func checkOpen() throws(ArchiveError) {
        guard !isClosed.load(ordering: .acquiring) else {
            throw ArchiveError(.closed, "The archive was closed.")
        }
    }

    /// Closes the source, once.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        source.close()
    }
}

/// Limits for reading ZIP archives.
///
/// ```swift
/// var limits = ZipLimits()
/// limits.entries = 10_000
/// limits.wholeEntry = 64 << 20
/// let archive = try ZipArchive.open(path: "/books/emma.epub", limits: limits)  // or fails with tooLarge
/// archive.close()
/// ```
public struct ZipLimits: Sendable {
    /// The number of files and folders in a ZIP64 archive. Other archives have at most 65,535.
    public var entries = 1_000_000
    /// The total size of all names in bytes.
    public var nameBytes = 64 << 20
    /// The size of the central directory in bytes. It is kept in memory.
    public var directoryBytes = 256 << 20
    /// The ratio of the declared size to the compressed size. Deflate cannot exceed about 1,032.
    public var ratio: Int64 = 1100
    /// The size in bytes of an entry that is read completely. Larger entries can be read by ranges.
    public var wholeEntry: Int64 = 1 << 30
    /// The size in bytes of a deflated entry up to which a reader keeps the complete content.
    public var keptEntry: Int64 = 1 << 20

    /// Creates the default limits.
    public init() {}
}
