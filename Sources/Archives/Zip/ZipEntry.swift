/// A file in a ZIP archive, as the central directory describes it.
///
/// The path is created only on request, because detecting a format rarely needs it.
///
/// ```swift
/// func describe(_ entry: ZipEntry) {
///     print(entry.path, entry.length, entry.isCompressed ? "compressed to \(entry.storedLength)" : "stored")
///     print("CRC-32", String(entry.crc32, radix: 16))
///     if entry.isEncrypted { print("The entry cannot be read.") }
/// }
/// ```
public struct ZipEntry: ArchiveEntry {
    let directory: ZipDirectory
    let record: ZipRecord

    /// The path. It is decoded as UTF-8 by flag or by validity, from the Unicode path field, or as code page 437 (ZIP
    /// specification 4.4.17, appendix D).
    public var path: String { directory.withName(of: record) { String(decoding: $0, as: UTF8.self) } }

    /// Calls `body` with the UTF-8 bytes of the path without creating a string, and returns its result.
    public func withPathBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        directory.withName(of: record, body)
    }

    /// The declared uncompressed size in bytes.
    public var length: Int64 { record.length }

    /// The compressed size in bytes; nil if the entry is stored without compression.
    public var compressedLength: Int64? { isCompressed ? record.storedLength : nil }

    /// The size of the data in the archive in bytes, compressed or not.
    public var storedLength: Int64 { record.storedLength }

    /// Whether the compression method is not "stored".
    public var isCompressed: Bool { record.method != 0 }

    /// Whether the content is encrypted and therefore cannot be read.
    public var isEncrypted: Bool { record.flags & (1 | 1 << 6 | 1 << 13) != 0 }

    /// The number of the compression method: 0 stored, 8 deflate. No others are supported.
    public var method: UInt16 { record.method }

    /// The declared checksum of the content.
    public var crc32: UInt32 { record.crc32 }
}

/// The files of a ZIP archive in the order of its central directory.
///
/// ```swift
/// let archive = try ZipArchive.open(path: "/books/emma.epub")
/// let entries = archive.entries
/// print(entries.count, entries.first?.path ?? "")  // the first entry of an EPUB is mimetype
/// print(entries.map(\.length).reduce(0, +))
/// archive.close()
/// ```
public struct ZipEntries: RandomAccessCollection, Sendable {
    let directory: ZipDirectory
    let records: [ZipRecord]

    /// The first index, 0.
    public var startIndex: Int { 0 }
    /// The number of files.
    public var endIndex: Int { records.count }
    /// The file at an index in the directory.
    public subscript(position: Int) -> ZipEntry { ZipEntry(directory: directory, record: records[position]) }
}

/// Interprets the name and attributes of an entry by the system that wrote it (ZIP specification 4.4.2, 4.4.15).
struct ZipHost {
    private let system: UInt8
    private let attributes: UInt32

    /// Creates a host from the two fields of a directory record.
    init(madeBy: UInt16, attributes: UInt32) {
        system = UInt8(truncatingIfNeeded: madeBy >> 8)
        self.attributes = attributes
    }

    /// Whether names use backslashes as separators, as programs on DOS, OS/2, NTFS and VFAT write them.
    var separatesByBackslash: Bool { [0, 6, 10, 14].contains(system) }

    /// Whether the attributes are those of a folder, by the DOS bit or the file type of Unix and macOS.
    var isFolder: Bool {
        if separatesByBackslash { return attributes & 0x10 != 0 }
        return [3, 19].contains(system) && attributes >> 16 & 0o170000 == 0o040000
    }
}
