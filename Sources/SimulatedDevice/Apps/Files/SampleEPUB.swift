import FoundationEssentials
import Glibc
import Platform

/// A small EPUB that any reader can open, either packed or unpacked in a folder.
public struct SampleEPUB: Sendable, Equatable {
    /// The title.
    public var title: String
    /// The authors; the main author is the first.
    public var authors: [String]
    /// The series and the position in it; nil for none.
    public var series: (name: String, index: Double)?
    /// Whether it has a cover.
    public var hasCover: Bool
    /// The length in bytes to which the chapter is padded.
    public var length: Int

    /// Creates a book.
    public init(
        title: String, authors: [String], series: (name: String, index: Double)? = nil, hasCover: Bool = true,
        length: Int = 20_000
    ) {
        self.title = title
        self.authors = authors
        self.series = series
        self.hasCover = hasCover
        self.length = length
    }

    /// Writes the book as one file.
    public func write(to url: URL) throws { try BookArchiveWriter.write(entries, to: url.path) }

    /// Writes the book as a folder, as apps keep unpacked books.
    public func unpack(to url: URL) throws {
        for (name, content) in entries {
            let file = url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
    }

    /// Whether two books have the same properties.
    public static func == (left: SampleEPUB, right: SampleEPUB) -> Bool {
        left.title == right.title && left.authors == right.authors && left.series?.name == right.series?.name
            && left.series?.index == right.series?.index && left.hasCover == right.hasCover
            && left.length == right.length
    }

    private var entries: [(name: String, content: [UInt8])] {
        let container = """
            <?xml version="1.0" encoding="UTF-8"?>
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
            <rootfile full-path="OPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        var entries = [
            ("mimetype", Array("application/epub+zip".utf8)),
            ("META-INF/container.xml", Array(container.utf8)),
            ("OPS/package.opf", Array(package.utf8)), ("OPS/text.xhtml", Array(chapter.utf8)),
        ]
        if hasCover { entries.append(("OPS/cover.jpg", PlainCover.small(seed: seed).jpeg(paddedTo: 4_000))) }
        return entries
    }

    private var seed: UInt64 { title.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } }

    private var package: String {
        var metadata =
            "<dc:identifier id=\"id\">urn:sample:\(seed)</dc:identifier><dc:title>\(Self.escaped(title))</dc:title>"
        for author in authors { metadata += "<dc:creator>\(Self.escaped(author))</dc:creator>" }
        metadata +=
            "<dc:language>en</dc:language><meta property=\"dcterms:modified\">2020-01-01T00:00:00Z</meta>"
        if let series {
            metadata +=
                "<meta name=\"calibre:series\" content=\"\(Self.escaped(series.name))\"/>"
                + "<meta name=\"calibre:series_index\" content=\"\(series.index)\"/>"
        }
        let cover =
            hasCover
            ? "<item id=\"cover\" href=\"cover.jpg\" media-type=\"image/jpeg\" properties=\"cover-image\"/>"
            : ""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\(metadata)</metadata>\
            <manifest><item id="text" href="text.xhtml" media-type="application/xhtml+xml" properties="nav"/>\(cover)</manifest>\
            <spine><itemref idref="text"/></spine></package>
            """
    }

    /// A chapter that deflate can hardly compress, so that the file has about the requested size.
    private var chapter: String {
        var text = ""
        var state = seed | 1
        while text.utf8.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += String(state >> 11, radix: 36) + " "
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head>\
            <title>\(Self.escaped(title))</title></head><body><nav epub:type="toc"><ol><li><a href="text.xhtml">Text</a></li>\
            </ol></nav><p>\(text)</p></body></html>
            """
    }

    private static func escaped(_ text: String) -> String { XMLText.escaped(text, quotes: .double) }
}
