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
