import FoundationEssentials
import Synchronization

/// A ZIP archive, opened by its central directory alone (ZIP specification 6.3).
///
/// Any thread may call any member at any time. The source is closed with `close()`, or when the archive and all readers of its
/// entries are gone.
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

    /// The files in the order of the central directory: no folders, no names that are absolute, climb or contain NUL, and of
    /// several with one name the first. Known also after `close()`.
    public var entries: ZipEntries {
        ZipEntries(directory: contents.directory, records: contents.directory.records)
    }

    /// Files that `entries` leaves out and no look-up finds because their names are absolute, climb or contain NUL.
    public var refusedEntries: ZipEntries {
        ZipEntries(directory: contents.directory, records: contents.directory.refused)
    }

    /// The file whose name has the same bytes as `path` in UTF-8, else one that is canonically equal.
    public func entry(_ path: String) -> ZipEntry? {
        let directory = contents.directory
        return directory.place(of: path).map { ZipEntry(directory: directory, record: directory.records[$0]) }
    }

    /// A reader of one file, to be kept while several ranges of it are wanted.
    public func reader(_ entry: ZipEntry) -> any ArchiveEntryReader {
        ZipEntryReader(contents: contents, entry: entry)
    }

    /// The whole content of an entry, checked against its length and checksum.
    public func read(_ entry: ZipEntry) throws(ArchiveError) -> Data {
        try ZipEntryReader(contents: contents, entry: entry).read()
    }

    /// A range of an entry, clamped to its length.
    ///
    /// The readers of the last few entries are kept, so that reading on continues where it was.
    public func read(_ entry: ZipEntry, range: Range<Int64>) throws(ArchiveError) -> Data {
        try recentReader(entry).read(range: range)
    }

    /// Closes the source. Later reads fail with `closed`; a second call does nothing.
    public func close() {
        recentReaders.withLock { $0 = [] }
        contents.close()
    }

    /// Bytes that were read from the source since it was opened.
    public var bytesRead: Int64 { contents.count.bytes.load(ordering: .relaxed) }

    /// Calls of the source since it was opened.
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
