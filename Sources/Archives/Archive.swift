import FoundationEssentials

/// The files inside one container, which is a ZIP file or a folder (composite fetcher proposal, section on archives).
///
/// All members may be called from any thread at any time, also concurrently. Reading blocks.
///
/// ```swift
/// func text(_ path: String, in archive: some Archive) throws -> String? {
///     guard let entry = archive.entry(path) else { return nil }
///     return String(decoding: try archive.reader(entry).read(), as: UTF8.self)
/// }
/// ```
public protocol Archive: AnyObject, Sendable {
    /// The type of a file in the archive.
    associatedtype Entry: ArchiveEntry
    /// The collection of its files.
    associatedtype Entries: RandomAccessCollection<Entry>

    /// The files in archive order, without folders. Also available after `close()`.
    var entries: Entries { get }

    /// The file with exactly this path, or else one whose path is canonically equivalent in Unicode.
    func entry(_ path: String) -> Entry?

    /// A reader of one file. Keep it while you read several ranges of the file.
    func reader(_ entry: Entry) -> any ArchiveEntryReader

    /// Closes the container. Later reads fail with `closed`; a second call does nothing.
    func close()
}

/// The properties of a file in an archive that are known without reading it.
///
/// ```swift
/// func savedBytes(_ entries: some Sequence<some ArchiveEntry>) -> Int64 {
///     entries.reduce(0) { sum, entry in sum + entry.length - (entry.compressedLength ?? entry.length) }
/// }
/// ```
public protocol ArchiveEntry: Sendable {
    /// The path. Segments are separated by `/`, and there is none at the start.
    var path: String { get }
    /// The uncompressed size in bytes.
    var length: Int64 { get }
    /// The compressed size in bytes; nil if the file is stored without compression.
    var compressedLength: Int64? { get }
}

/// Reads one file of an archive, and keeps state that makes the next read cheap.
///
/// May be called from any thread; concurrent calls are serialized.
///
/// ```swift
/// let archive = try ZipArchive.open(path: "/books/emma.epub")
/// if let chapter = archive.entry("OPS/chapter-1.xhtml") {
///     let reader = archive.reader(chapter)
///     print(try reader.read(range: 0..<1024))
///     print(try reader.read(range: 1024..<2048))  // continues where the first read ended
/// }
/// archive.close()
/// ```
public protocol ArchiveEntryReader: AnyObject, Sendable {
    /// Reads the complete content, and verifies its checksum if the archive has one.
    func read() throws(ArchiveError) -> Data

    /// Reads a range, clamped to the content. The checksum is not verified.
    func read(range: Range<Int64>) throws(ArchiveError) -> Data

    /// Releases the kept state. The next read starts from the beginning.
    func reset()
}
