import Diagnostics
import MarvinCommands
import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The simulated Marvin reads EPUB files, good and bad")
struct BookFileTests {
    private static let container = """
        <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
        <rootfile full-path="OEBPS/book.opf"/></rootfiles></container>
        """

    private func package(metadata: String = "", items: String = "") -> String {
        """
        <?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf"><metadata \
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:title>T</dc:title>\
        \(metadata)</metadata><manifest>\(items)</manifest></package>
        """
    }

    private func read(_ entries: [(String, [UInt8])]) throws -> BookFile {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("book.epub").path
        try BookArchiveWriter.write(entries, to: path)
        return try BookFile(path, subject: "book.epub")
    }

    private func read(
        opf: String, _ more: [(String, [UInt8])] = [], mimetype: String? = "application/epub+zip"
    ) throws -> BookFile {
        let type = mimetype.map { [("mimetype", Array($0.utf8))] } ?? []
        let meta = [
            ("META-INF/container.xml", Array(BookFileTests.container.utf8)),
            ("OEBPS/book.opf", Array(opf.utf8)),
        ]
        return try read(type + meta + more)
    }

    private func reason(_ body: () throws -> BookFile) -> String? {
        do {
            _ = try body()
            return nil
        } catch let error as SimulationError {
            return error.code == .invalidBook ? error.message : nil
        } catch {
            return nil
        }
    }

    @Test("Title, authors, series and the rest come from the package document")
    func metadata() throws {
        let book = try read(
            opf: package(
                metadata: """
                    <dc:creator opf:file-as="Author, Ann">Ann
                      Author</dc:creator><dc:creator>Bo Writer</dc:creator><dc:language>fr</dc:language>
                    <dc:publisher>P &amp; Q</dc:publisher><dc:subject>Zoo</dc:subject><dc:subject>Art</dc:subject>
                    <dc:date>not a date</dc:date><dc:date>476-09-04</dc:date><dc:description> &lt;p&gt;D&lt;/p&gt; </dc:description>
                    <dc:identifier>isbn</dc:identifier>
                    <dc:identifier>urn:uuid:11111111-1111-4111-8111-111111111111</dc:identifier>
                    <meta name="calibre:series" content="Saga"/><meta name="calibre:series_index" content="2.5"/>
                    """))
        #expect(book.title == "T")
        #expect(book.authors == ["Ann Author", "Bo Writer"])
        #expect(book.authorSort == "Author, Ann")
        #expect(book.language == "fr")
        #expect(book.publisher == "P & Q")
        #expect(book.subjects == ["Zoo", "Art"])
        #expect(book.publicationDate?.description == "0476-09-04")
        #expect(book.description == "<p>D</p>")
        #expect(book.series == "Saga")
        #expect(book.seriesIndex == 2.5)
        #expect(book.uuid == "11111111-1111-4111-8111-111111111111")
        #expect(book.cover == nil)
    }

    @Test(
        "The cover is found as EPUB 2 and EPUB 3 name it, relative to the package document",
        arguments: [
            (
                #"<meta name="cover" content="c"/>"#,
                #"<item id="c" href="img/a%20b.jpg" media-type="image/jpeg"/>"#, "OEBPS/img/a b.jpg"
            ),
            (
                "", #"<item id="x" properties="svg cover-image" href="./c.png" media-type="image/png"/>"#,
                "OEBPS/c.png"
            ),
            (
                "", #"<item id="x" properties="cover-image" href="../../../c.png" media-type="image/png"/>"#,
                "c.png"
            ),
        ])
    func cover(metadata: String, item: String, entry: String) throws {
        let book = try read(opf: package(metadata: metadata, items: item), [(entry, [1, 2, 3])])
        #expect(book.cover == [1, 2, 3])
    }

    @Test(
        "A cover that is missing, or no image, is not a cover",
        arguments: [
            #"<item id="c" href="gone.jpg" media-type="image/jpeg"/>"#,
            #"<item id="c" href="cover.xhtml" media-type="application/xhtml+xml"/>"#,
            #"<item id="d" href="cover.xhtml" media-type="image/jpeg"/>"#,
        ])
    func noCover(item: String) throws {
        let opf = package(metadata: #"<meta name="cover" content="c"/>"#, items: item)
        #expect(try read(opf: opf, [("OEBPS/cover.xhtml", [1])]).cover == nil)
    }

    @Test("A media type with a line break, or none, is tolerated; another one is not")
    func mediaType() throws {
        #expect(try read(opf: package(), mimetype: "application/epub+zip\n").title == "T")
        #expect(try read(opf: package(), mimetype: nil).title == "T")
        #expect(
            reason { try read(opf: package(), mimetype: "application/zip") }
                == "The file is not a valid EPUB: it has another media type.")
    }

    @Test("Archives that are not books are refused with the reason")
    func refused() {
        #expect(
            reason { try read([("a", [1])]) }
                == "The file is not a valid EPUB: META-INF/container.xml is missing.")
        #expect(
            reason { try read([("META-INF/container.xml", Array("<container/>".utf8))]) }
                == "The file is not a valid EPUB: it does not name a package document.")
        #expect(
            reason { try read([("META-INF/container.xml", Array(BookFileTests.container.utf8))]) }
                == "The file is not a valid EPUB: OEBPS/book.opf is missing.")
        #expect(reason { try read(opf: "<package>") }?.contains("OEBPS/book.opf") == true)
        #expect(
            reason { try read(opf: "<!DOCTYPE x [<!ENTITY a 'b'>]><package/>") }?.contains("document type")
                == true)
    }

    @Test("An entry that unfolds to more than it may is refused before it fills the memory")
    func bomb() {
        let opf = package() + String(repeating: " ", count: 9 << 20)
        #expect(reason { try read(opf: opf) } == "The file is not a valid EPUB: OEBPS/book.opf is too large.")
    }

    @Test(
        "Only 8-4-4-4-12 hexadecimal digits are a uuid",
        arguments: [
            ("11111111-1111-4111-8111-111111111111", true), ("ABCDEF00-1111-4111-8111-11111111111f", true),
            ("", false),
            ("11111111-1111-4111-8111-11111111111", false), ("11111111-1111-4111-8111-11111111111g", false),
            ("111111111111411181111111111111111111", false),
        ])
    func uuid(text: String, expected: Bool) {
        #expect(BookFile.isUUID(text) == expected)
    }
}
