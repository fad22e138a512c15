import Foundation

/// The EPUB files in Debian's documentation packages: real books in several languages.
public enum RealBooks {
    /// The required packages, for messages.
    public static let packages = ["debian-history", "debmake-doc", "developers-reference"]

    /// The history of the Debian project in a language (`de`, `en`, `es`, `fr`, `it`, `ja`, `ko`, `lt`, `pt`, `ru`).
    public static func history(_ language: String) throws -> URL {
        try book("/usr/share/doc/debian-history/docs/project-history.\(language).epub")
    }

    /// Whether this system's package of the guide for Debian maintainers has EPUBs, and not only PDFs as in Debian
    /// 13. True if the package is not installed, so that tests fail and name it.
    public static var hasMaintainersGuide: Bool {
        let folder = "/usr/share/doc/debmake-doc"
        let files = FileManager.default
        return !files.fileExists(atPath: folder + "/debmake-doc.en.pdf")
            || files.fileExists(atPath: folder + "/debmake-doc.en.epub")
    }

    /// The guide for Debian maintainers in a language (`de`, `en`, `ja`, `ru`, `zh-cn`, `zh-tw`). Debian 13 has none.
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
        /// The expected path of the book.
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
