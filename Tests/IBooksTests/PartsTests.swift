import BookModel
import Foundation
import PropertyLists
import Testing

@testable import iBooks

@Suite("Books' own files are understood, and misleading paths are not followed")
struct PartsTests {
    @Test(
        "Paths stay below their folder",
        arguments: [
            "", "/", "/a", "../a", "a/../b", "a/..", ".", "..", "a//b", "a\nb", "a\u{0}",
            String(repeating: "a", count: 2000),
        ])
    func unsafePaths(path: String) {
        #expect(SafePath(path) == nil)
    }

    @Test("A safe path knows its name, stem and extension")
    func safePaths() throws {
        let path = try #require(SafePath("Purchases/Heal Thyself.EPUB/"))
        #expect(path.text == "Purchases/Heal Thyself.EPUB")
        #expect((path.name, path.stem, path.fileExtension) == ("Heal Thyself.EPUB", "Heal Thyself", "epub"))
        #expect(SafePath(".epub")?.fileExtension == "")
        #expect(SafePath("a.b.pdf")?.stem == "a.b")
    }

    @Test("An entry gives what it says, for values of all kinds")
    func entries() throws {
        let entry = try #require(
            BookEntry([
                "Path": "a.epub", "Name": " Title.epub ", "Artist": "", "Persistent ID": "abc",
                "Is Protected": 1, "Item ID": "1F", "s": 1_451_477_922, "Genre": 5, "Cover Path": "../x",
                "importDate": .date(Date(timeIntervalSince1970: 1_661_216_418)),
            ]))
        #expect(entry.title == "Title")
        #expect(entry.artist == nil)
        #expect(entry.isProtected == true)
        #expect(entry.genre == "5")
        #expect(entry.coverPath == nil)
        #expect(entry.imported == 1_661_216_418)
        #expect(entry.assetIDs == ["ABC", "1F", "1451477922", "31"])
        #expect(BookEntry("text") == nil)
    }

    @Test("Authors are split at characters that join names, not at commas")
    func authors() {
        #expect(
            Authors.split("Austen, Jane & Brontë, Anne; Eliot") == ["Austen, Jane", "Brontë, Anne", "Eliot"])
        #expect(Authors.split(" & ; ") == [])
        #expect(Authors.split(Authors.joined(["A", "B"])) == ["A", "B"])
    }

    @Test("The package and the cover of a book are found")
    func package() throws {
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="O%20E/b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let path = try #require(UnpackedEPUBReader.packagePath(container: Array(container.utf8)))
        #expect(path.text == "O E/b.opf")
        let three = """
            <package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>
            <item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
            <item id="c" href="../img/c%20d.jpg" media-type="image/jpeg" properties="svg cover-image"/>
            </manifest></package>
            """
        #expect(UnpackedEPUBReader.coverPath(package: Array(three.utf8), at: path)?.text == "img/c d.jpg")
        let two = """
            <package><metadata><meta name="cover" content="c"/></metadata><manifest>
            <item id="c" href="c.png" media-type="image/png"/></manifest></package>
            """
        #expect(UnpackedEPUBReader.coverPath(package: Array(two.utf8), at: path)?.text == "O E/c.png")
        let away = two.replacingOccurrences(of: "c.png", with: "../../../c.png")
        #expect(UnpackedEPUBReader.coverPath(package: Array(away.utf8), at: path) == nil)
        #expect(UnpackedEPUBReader.packagePath(container: [0xFF, 0]) == nil)
    }

    @Test(
        "Obfuscated fonts do not count as protection, but any other encryption does",
        arguments: [
            ("http://www.idpf.org/2008/embedding", false), ("http://ns.adobe.com/pdf/enc#RC", false),
            ("http://itunes.apple.com/dataenc", true), ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", true),
        ])
    func protection(algorithm: String, expected: Bool) {
        let text = """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">
            <enc:EncryptedData><enc:EncryptionMethod Algorithm="\(algorithm)"/></enc:EncryptedData></encryption>
            """
        #expect(UnpackedEPUBReader.isProtected(encryption: Array(text.utf8)) == expected)
    }

    @Test("The URL of a book gives its path below Books")
    func urls() {
        let url = "file://localhost/private/var/mobile/Media/Books/Purchases/a%20b.epub/"
        #expect(CollectionReader.path(ofURL: url) == "Purchases/a b.epub")
        #expect(CollectionReader.path(ofURL: "file:///x/Media/Books/../../etc") == nil)
        #expect(CollectionReader.path(ofURL: "https://example.org/Media/Books/a") == nil)
    }

    @Test("Findings are read back as they were stored")
    func inspections() throws {
        var inspection = BookInspection(stamp: [1, -5], size: 77, isProtected: true)
        inspection.book.title = "T"
        inspection.book.authors = ["A", "B"]
        inspection.book.seriesIndex = 2
        inspection.book.coverSize = 9
        inspection.coverPath = "/Books/x"
        let bytes = try inspection.propertyList.encoded(.binary)
        #expect(BookInspection(try PropertyList(parsing: bytes)) == inspection)
        #expect(BookInspection(["stamp": "no"]) == nil)
    }
}
