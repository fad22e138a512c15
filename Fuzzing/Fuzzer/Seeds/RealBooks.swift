import ArchiveBuilder
import Archives
import FoundationEssentials

/// The books of Debian's documentation packages, reduced to their small parts. Packages that are not installed are
/// skipped.
enum RealBooks {
    private static let epubs = [
        "/usr/share/developers-reference/developers-reference.epub",
        "/usr/share/doc/debmake-doc/debmake-doc.en.epub",
        "/usr/share/doc/debian-history/docs/project-history.ja.epub",
    ]
    private static let largestPart: Int64 = 4 << 10

    /// Each book with only its smallest files in it.
    static func smallArchives() throws -> [Data] {
        try archives().map { archive in
            var builder = ZipBuilder()
            for entry in archive.entries where entry.length <= largestPart && builder.entries.count < 6 {
                builder.entries.append(
                    ZipBuilder.Entry(
                        entry.path, try archive.read(entry), method: entry.isCompressed ? 8 : 0))
            }
            return builder.data()
        }
    }

    /// The package document of each book, cut to a few KiB.
    static func packageDocuments() throws -> [Data] {
        try archives().compactMap { archive in
            guard let entry = archive.entries.first(where: { $0.path.hasSuffix(".opf") }) else { return nil }
            return try archive.read(entry).prefix(Int(largestPart))
        }
    }

    /// The first bytes of PDF files.
    static func heads() throws -> [Data] {
        try ["/usr/share/developers-reference/developers-reference.pdf"].compactMap { path in
            guard FileManager.default.isReadableFile(atPath: path) else { return nil }
            return try FileByteSource(path: path).read(at: 0, count: 2048)
        }
    }

    private static func archives() throws -> [ZipArchive] {
        try epubs.filter { FileManager.default.isReadableFile(atPath: $0) }.map {
            try ZipArchive.open(path: $0)
        }
    }
}
