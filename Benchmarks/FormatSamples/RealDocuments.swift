import Archives
import Formats
import FoundationEssentials

/// Real documents: the files that Debian's documentation packages install.
package enum RealDocuments {
    /// The packages.
    package static let packages = ["debian-history", "debmake-doc", "developers-reference"]

    /// The folders in which the packages install their files.
    private static let folders = [
        "/usr/share/doc/debian-history/docs", "/usr/share/doc/debmake-doc", "/usr/share/developers-reference",
    ]

    /// The paths, in order, of all of their files with one of these extensions, or of all files.
    package static func paths(endingIn extensions: [String] = []) -> [String] {
        var paths: [String] = []
        for folder in folders {
            let names: [String]
            // Skip a package that is not installed. A caller that needs its files counts them.
            do { names = try FileManager.default.subpathsOfDirectory(atPath: folder) } catch { continue }
            for path in names.map({ folder + "/" + $0 }) {
                var isFolder = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder,
                    extensions.isEmpty || extensions.contains(where: { path.hasSuffix("." + $0) })
                else { continue }
                paths.append(path)
            }
        }
        return paths.sorted()
    }

    /// The format of a file by its name, which is always right in these packages; nil if it is not one of the 18.
    package static func format(ofPath path: String) -> Format? {
        for (ending, format) in [(".epub", Format.epub), (".pdf", .pdf), (".html", .html)]
        where path.hasSuffix(ending) {
            return format
        }
        return nil
    }

    /// Some small files of each format in the packages.
    package static func samples() throws(ByteSourceError) -> [FormatSample] {
        try [
            load("/usr/share/doc/debian-history/docs/index.ja.html", .html, "html"),
            load("/usr/share/doc/debian-history/docs/leaders.en.html", .html, "html"),
            load("/usr/share/doc/debian-history/docs/manifesto.ru.html", .html, "html"),
            load("/usr/share/developers-reference/l10n.html", .html, "html"),
            load("/usr/share/doc/debian-history/docs/project-history.en.epub", .epub, "epub"),
            load("/usr/share/doc/debian-history/docs/project-history.ko.epub", .epub, "epub"),
            load("/usr/share/doc/debian-history/docs/project-history.ru.epub", .epub, "epub"),
            load("/usr/share/developers-reference/developers-reference.epub", .epub, "epub"),
            load("/usr/share/doc/debian-history/docs/project-history.de.pdf", .pdf, "pdf"),
            load("/usr/share/doc/debmake-doc/debmake-doc.en.pdf", .pdf, "pdf"),
            load("/usr/share/developers-reference/developers-reference.pdf", .pdf, "pdf"),
        ]
    }

    private static func load(
        _ path: String, _ format: Format, _ name: String
    ) throws(ByteSourceError) -> FormatSample {
        let file = try FileByteSource(path: path)
        defer { file.close() }
        let bytes = try file.read(at: 0, count: Int(file.length))
        return FormatSample(format, name, name, bytes: [UInt8](bytes), isArchive: format == .epub)
    }
}
