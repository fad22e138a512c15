import Foundation

/// The EPUB files that Debian's documentation packages install: real books, in several languages.
public enum RealBooks {
    /// The packages that must be installed, for messages.
    public static let packages = ["debian-history", "debmake-doc", "developers-reference"]

    /// The history of the Debian project in one of its languages (`de`, `en`, `es`, `fr`, `it`, `ja`, `ko`, `lt`, `pt`, `ru`).
    public static func history(_ language: String) throws -> URL {
        try book("/usr/share/doc/debian-history/docs/project-history.\(language).epub")
    }

    /// Whether this system's package of the guide for Debian maintainers has EPUBs, and not only PDFs as in Debian 13. True where the
    /// package is not installed, so that tests fail and name it.
    public static var hasMaintainersGuide: Bool {
        let folder = "/usr/share/doc/debmake-doc"
        let files = FileManager.default
        return !files.fileExists(atPath: folder + "/debmake-doc.en.pdf")
            || files.fileExists(atPath: folder + "/debmake-doc.en.epub")
    }

    /// The guide for Debian maintainers in one of its languages (`de`, `en`, `ja`, `ru`, `zh-cn`, `zh-tw`). Debian 13 has none.
    public static func maintainersGuide(_ language: String) throws -> URL {
        try book("/usr/share/doc/debmake-doc/debmake-doc.\(language).epub")
    }

    /// The developer's reference, an EPUB 3 file with an author and a publisher.
    public static func developersReference() throws -> URL {
        try book("/usr/share/developers-reference/developers-reference.epub")
    }

    /// Eight books in seven languages.
    public static func some() throws -> [URL] {
        try ["de", "en", "es", "fr", "ja", "ko", "ru"].map { try history($0) } + [developersReference()]
    }

    /// A book that is not installed.
    public struct Missing: Error, CustomStringConvertible {
        /// Where the book should be.
        public let path: String

        /// Names the packages to install.
        public var description: String {
            "\(path) is missing; install the packages \(RealBooks.packages.joined(separator: ", "))"
        }
    }

    private static func book(_ path: String) throws -> URL {
        guard FileManager.default.isReadableFile(atPath: path) else { throw Missing(path: path) }
        return URL(fileURLWithPath: path)
    }
}
