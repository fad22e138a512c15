import Foundation
import TestSupport

/// A small EPUB made for a test.
enum SampleEPUB {
    /// The content of the cover's file: the beginning of a PNG.
    static let cover = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("picture".utf8)
    static let chapter = "<html><body><p>It was a dark night.</p></body></html>"

    /// The archive, with `more` at its end.
    static func archive(
        hasCover: Bool = true, title: String = "A Dark Night", more: [ZipBuilder.Entry] = []
    ) -> Data {
        var zip = ZipBuilder()
        zip.entries.append(.init("mimetype", Data("application/epub+zip".utf8)))
        let texts = [
            "META-INF/container.xml": """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
            <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """,
            "book.opf": """
            <package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="id">\
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x:1</dc:identifier>\
            <dc:title>\(title)</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>\
            </metadata><manifest>\
            <item id="c" href="one.xhtml" media-type="application/xhtml+xml"/>\
            \(hasCover ? "<item id=\"p\" href=\"p.png\" media-type=\"image/png\" properties=\"cover-image\"/>" : "")\
            </manifest><spine><itemref idref="c"/></spine></package>
            """,
            "one.xhtml": chapter,
        ]
        for name in texts.keys.sorted() {
            zip.entries.append(.init(name, Data((texts[name] ?? "").utf8), method: 8))
        }
        if hasCover { zip.entries.append(.init("p.png", cover)) }
        zip.entries += more
        return zip.data()
    }
}
