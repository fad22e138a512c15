import Foundation
import TestSupport

/// A local folder of small EPUBs, and one with a calibre library.
struct SyncSource {
    let url: URL

    var path: String { url.path }

    init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Writes a book. Other `words` give another content.
    func put(_ item: String, title: String, author: String = "Ann Author", words: String = "one") throws {
        let file = url.appendingPathComponent(item)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Self.book(title: title, author: author, words: words).write(to: file)
    }

    func remove(_ item: String) throws {
        try FileManager.default.removeItem(at: url.appendingPathComponent(item))
    }

    /// Writes a sidecar.
    func describe(_ name: String, title: String, author: String = "Ann Author") throws {
        let text = """
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>\(title)</dc:title>
            <dc:creator>\(author)</dc:creator></metadata></package>
            """
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    static func book(title: String, author: String, words: String, cover: Data? = nil) -> Data {
        var zip = ZipBuilder()
        let image = "<item id=\"i\" href=\"cover.jpg\" media-type=\"image/jpeg\" properties=\"cover-image\"/>"
        zip.entries.append(.init("mimetype", Data("application/epub+zip".utf8)))
        for (name, text) in [
            (
                "META-INF/container.xml",
                """
                <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
                <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
                """
            ),
            (
                "book.opf",
                """
                <package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="id">\
                <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x:\(title)</dc:identifier>\
                <dc:title>\(title)</dc:title><dc:creator>\(author)</dc:creator><dc:language>en</dc:language>\
                </metadata><manifest><item id="c" href="one.xhtml" media-type="application/xhtml+xml"/>\
                \(cover == nil ? "" : image)</manifest><spine><itemref idref="c"/></spine></package>
                """
            ), ("one.xhtml", "<html><body><p>\(words)</p></body></html>"),
        ] {
            zip.entries.append(.init(name, Data(text.utf8), method: 8))
        }
        if let cover { zip.entries.append(.init("cover.jpg", cover)) }
        return zip.data()
    }
}
