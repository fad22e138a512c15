import FoundationEssentials
import Synchronization

/// What an archive and the readers of its entries share: the source, the directory, the bounds and the counts.
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

    /// Bytes of the source, counted; fewer than wanted only where it ends.
    func read(at offset: Int64, count wanted: Int) throws(ArchiveError) -> Data {
        try checkOpen()
        return try count.read(source, at: offset, count: wanted)
    }

    /// Throws once the archive was closed.
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

/// Bounds of what a ZIP archive may ask for.
public struct ZipLimits: Sendable {
    /// Files and folders of an archive in ZIP64 format; without it there are at most 65,535.
    public var entries = 1_000_000
    /// Bytes of all names together.
    public var nameBytes = 64 << 20
    /// Bytes of the central directory, which is kept in memory.
    public var directoryBytes = 256 << 20
    /// Declared bytes per byte in the archive; deflate cannot exceed about 1,032.
    public var ratio: Int64 = 1100
    /// Bytes of an entry that is read as a whole. Ranges of larger ones can be read.
    public var wholeEntry: Int64 = 1 << 30
    /// Bytes of a deflated entry up to which a reader keeps the whole content.
    public var keptEntry: Int64 = 1 << 20

    /// The usual bounds.
    public init() {}
}
