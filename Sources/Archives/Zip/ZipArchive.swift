import FoundationEssentials
import Synchronization

/// A ZIP archive. To open it, only its central directory is read (ZIP specification 6.3).
///
/// All members may be called from any thread at any time. The source is closed by `close()`, or when the archive and
/// all readers of its entries are released.
///
/// ```swift
/// let archive = try ZipArchive.open(path: "/books/emma.epub")
/// for entry in archive.entries { print(entry.path) }
/// if let cover = archive.entry("OPS/cover.jpg") { print(try archive.read(cover).count) }
/// archive.close()
/// ```
public final class ZipArchive: Archive {
    private let contents: ZipContents
    private let recentReaders = Mutex<[ZipEntryReader]>([])

    init(_ contents: ZipContents) { self.contents = contents }

    /// The files in the order of the central directory. Folders and unsafe names (absolute, with `..`, or containing
    /// NUL) are left out, and of several files with the same name, all but the first. Also available after `close()`.
    public var entries: ZipEntries {
        ZipEntries(directory: contents.directory, records: contents.directory.records)
    }

    /// Files that are not in `entries` and that no lookup finds, because their names are absolute, contain `..` or
    /// contain NUL.
    public var refusedEntries: ZipEntries {
        ZipEntries(directory: contents.directory, records: contents.directory.refused)
    }

    /// The file whose name has the same UTF-8 bytes as `path`, or else one with a canonically equivalent name.
    public func entry(_ path: String) -> ZipEntry? {
        let directory = contents.directory
        return directory.place(of: path).map { ZipEntry(directory: directory, record: directory.records[$0]) }
    }

    /// A reader of one file. Keep it while you read several ranges of the file.
    public func reader(_ entry: ZipEntry) -> any ArchiveEntryReader {
        ZipEntryReader(contents: contents, entry: entry)
    }

    /// Reads the complete content of an entry, and verifies its length and checksum.
    public func read(_ entry: ZipEntry) throws(ArchiveError) -> Data {
        try ZipEntryReader(contents: contents, entry: entry).read()
    }

    /// Reads a range of an entry, clamped to its length.
    ///
    /// The readers of the last few entries are kept, so that sequential reads continue where they ended.
    public func read(_ entry: ZipEntry, range: Range<Int64>) throws(ArchiveError) -> Data {
        try recentReader(entry).read(range: range)
    }

    /// Closes the source. Later reads fail with `closed`; a second call does nothing.
    public func close() {
        recentReaders.withLock { $0 = [] }
        contents.close()
    }

    /// The number of bytes read from the source since it was opened.
    public var bytesRead: Int64 { contents.count.bytes.load(ordering: .relaxed) }

    /// The number of reads from the source since it was opened.
    public var readCalls: Int { contents.count.calls.load(ordering: .relaxed) }

    private func recentReader(_ entry: ZipEntry) -> ZipEntryReader {
        recentReaders.withLock { recent in
            let reader: ZipEntryReader
            if let place = recent.firstIndex(where: { $0.isReader(of: entry) }) {
                reader = recent.remove(at: place)
            } else {
                reader = ZipEntryReader(contents: contents, entry: entry)
                if recent.count == 4 { recent.removeFirst() }
            }
            recent.append(reader)
            return reader
        }
    }
}
