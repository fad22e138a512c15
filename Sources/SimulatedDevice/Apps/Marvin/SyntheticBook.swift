import MarvinCommands
import FoundationEssentials
import Glibc
import Platform

/// Creates books for measurements and for tests that need many.
enum SyntheticBook {
    private static let languages = ["Deutsch", "English", "Español", "日本語", "Русский"]

    /// The book with that number. All its properties are derived from the number.
    static func book(_ index: Int, coverBytes: Int, largeCover: Bool) -> MarvinBook {
        var hash = ContentHash()
        hash.add("synthetic book \(index)".utf8)
        var book = MarvinBook(
            fileName: hash.uuid + ".epub", uuid: hash.uuid, hash: hash.text,
            added: 1_400_000_000 + Double(index) * 3600)
        let number = index + 1
        book.title = "Synthetic Book " + number.padded(5)
        book.titleSort = book.title
        book.author = "Author \(index % 7 + 1)"
        book.authorSort = "\(index % 7 + 1), Author"
        book.publisher = "Measure & Sons"
        book.description = "<p>Book number \(number) of a library that was made to be measured.</p>"
        book.publicationDate = PublicationDate(
            year: 1900 + index % 120, month: index % 12 + 1, day: index % 28 + 1)
        if index % 3 == 0 {
            book.series = "Series \(index % 40 + 1)"
            book.seriesIndex = Double(index / 40 + 1)
        }
        book.subjects = ["Subject \(index % 11)", languages[index % languages.count]]
        book.collections =
            index % 2 == 0 ? ["Shelf \(index % 10)"] : ["Shelf \(index % 10)", MarvinFlag.read]
        book.wordCount = 40_000 + index % 1000 * 100
        book.smallCover = PlainCover.small(seed: hash.seed).jpeg(paddedTo: coverBytes)
        if largeCover { book.largeCover = PlainCover.large(seed: hash.seed).jpeg(paddedTo: coverBytes * 4) }
        return book
    }

    /// A small EPUB 3 file that any reader can open.
    static func epub(in container: MarvinContainer) throws -> [UInt8] {
        try container.makeFolders()
        let url = container.temporary.appendingPathComponent("synthetic.epub")
        try BookArchiveWriter.write(entries.map { ($0, Array($1.utf8)) }, to: url.path)
        let bytes = try Array(Data(contentsOf: url))
        try FileManager.default.removeItem(at: url)
        return bytes
    }

    private static let entries: [(String, String)] = [
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
            <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        ),
        (
            "book.opf",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">synthetic</dc:identifier>\
            <dc:title>Synthetic Book</dc:title><dc:language>en</dc:language>\
            <meta property="dcterms:modified">2020-01-01T00:00:00Z</meta></metadata>\
            <manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>\
            <spine><itemref idref="nav"/></spine></package>
            """
        ),
        (
            "nav.xhtml",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head>\
            <title>Synthetic Book</title></head><body><nav epub:type="toc"><ol><li><a href="nav.xhtml">Text</a></li>\
            </ol></nav></body></html>
            """
        ),
    ]
}
