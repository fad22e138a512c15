import FoundationEssentials

/// Files inside one container: a ZIP file or a folder (composite fetcher proposal, section on archives).
///
/// Any thread may call any member at any time, also several at once. Reading blocks.
public protocol Archive: AnyObject, Sendable {
    /// One file of it.
    associatedtype Entry: ArchiveEntry
    /// Its files.
    associatedtype Entries: RandomAccessCollection<Entry>

    /// The files in the order of the archive, without folders. Known also after `close()`.
    var entries: Entries { get }

    /// The file of exactly this path, else of one that is canonically equal in Unicode.
    func entry(_ path: String) -> Entry?

    /// A reader of one file, to be kept while several ranges of it are wanted.
    func reader(_ entry: Entry) -> any ArchiveEntryReader

    /// Closes the container. Later reads fail with `closed`; a second call does nothing.
    func close()
}

/// What is known about a file in an archive without reading it.
public protocol ArchiveEntry: Sendable {
    /// Its path, segments separated by `/`, without one at the start.
    var path: String { get }
    /// Its bytes when read.
    var length: Int64 { get }
    /// Its bytes in the archive; nil if it is stored as it is.
    var compressedLength: Int64? { get }
}

/// Reads one file of an archive, keeping what makes the next read cheap.
///
/// Any thread may call it; calls of several threads follow each other.
public protocol ArchiveEntryReader: AnyObject, Sendable {
    /// The whole content, checked against its checksum if the archive has one.
    func read() throws(ArchiveError) -> Data

    /// The bytes of a range, clamped to the content; not checked against a checksum.
    func read(range: Range<Int64>) throws(ArchiveError) -> Data

    /// Forgets what was kept. Reading again is possible and starts afresh.
    func reset()
}
