import Formats
import Archives
import Foundation
import Publications
import Testing

@Suite("The cover of an EPUB is found")
struct CoverTests {
    private let image = TestBook.image()

    /// A book with some entries below `OEBPS` beside its package document.
    private func book(
        _ metadata: String = "", manifest: String = "", spine: String = "", guide: String = "",
        files: [String: Data]
    ) throws -> PublicationInfo {
        var archive = TestBook.archive(
            TestBook.package(
                "<dc:title>T</dc:title>" + metadata, manifest: manifest, spine: spine, guide: guide))
        for (path, content) in files.sorted(by: { $0.key < $1.key }) { archive.add("OEBPS/" + path, content) }
        return try archive.epub()
    }

    @Test("EPUB 3's property names the cover before everything else")
    func property() throws {
        let info = try book(
            "<meta name='cover' content='b'/>",
            manifest: """
                <item id="b" href="b.png" media-type="image/png"/>
                <item id="a" href="img/a%20b.jpg" media-type="image/jpeg" properties="x cover-image"/>
                """, files: ["img/a b.jpg": image, "b.png": TestBook.image(9)])
        let cover = try #require(info.cover)
        #expect(cover.href == "OEBPS/img/a b.jpg")
        #expect(cover.mediaType == .jpeg)
        #expect(cover.size == 5000)
        #expect(try cover.read() == image)
        #expect(info.shortcomings.isEmpty)
    }

    @Test(
        "EPUB 2's meta names it by id, by reference, or with capitals",
        arguments: [
            "<meta name='cover' content='c'/>", "<meta name='Cover' content='c.jpg'/>",
            "<meta content='c' name='cover'/>", "<meta property='cover'>c</meta>",
        ])
    func meta(element: String) throws {
        let info = try book(
            element, manifest: "<item id='c' href='c.jpg' media-type='image/jpeg'/>", files: ["c.jpg": image])
        #expect(info.cover?.href == "OEBPS/c.jpg")
        #expect(info.shortcomings.isEmpty)
    }

    @Test("The meta may name an image that the manifest leaves out, or a page that shows it")
    func metaElsewhere() throws {
        let left = try book("<meta name='cover' content='c.jpg'/>", files: ["c.jpg": image])
        #expect(left.cover?.href == "OEBPS/c.jpg")
        let page = try book(
            "<meta name='cover' content='p'/>",
            manifest: "<item id='p' href='t/p.xhtml' media-type='application/xhtml+xml'/>",
            files: [
                "t/p.xhtml": Data("<html><body><img src='../c.jpg'/></body></html>".utf8), "c.jpg": image,
            ])
        #expect(page.cover?.href == "OEBPS/c.jpg")
    }

    @Test("The guide's cover page shows it, as an image, a drawing, or the image itself")
    func guide() throws {
        let pages = [
            "<html><body><p>x &nbsp; <img src='i/c.jpg' alt=''></body></html>",
            """
            <html xmlns="http://www.w3.org/1999/xhtml"><body><svg xmlns="http://www.w3.org/2000/svg"
            xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="i/c.jpg"/></svg></body></html>
            """,
        ]
        for page in pages {
            let info = try book(
                guide: "<reference type='cover' href='p.html#top'/>",
                files: ["p.html": Data(page.utf8), "i/c.jpg": image])
            #expect(info.cover?.href == "OEBPS/i/c.jpg")
        }
        let direct = try book(
            guide: "<reference type='other.ms-coverimage-standard' href='i/c.jpg'/>",
            files: ["i/c.jpg": image])
        #expect(direct.cover?.href == "OEBPS/i/c.jpg")
    }

    @Test("The landmarks' cover page shows it, relative to the navigation document")
    func landmarks() throws {
        let navigation = """
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
            <nav epub:type="toc"><ol><li><a epub:type="cover" href="wrong.xhtml">No</a></li></ol></nav>
            <nav epub:type="landmarks"><ol><li><a epub:type="toc" href="#toc">Contents</a></li>
            <li><a epub:type="frontmatter cover" href="../t/p.xhtml">Cover</a></li></ol></nav></body></html>
            """
        let manifest = """
            <item id="n" href="n/nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="o" href="o.jpg" media-type="image/jpeg"/><item id="i" href="i.jpg" media-type="image/jpeg"/>
            """
        let files = [
            "n/nav.xhtml": Data(navigation.utf8), "o.jpg": TestBook.image(6000), "i.jpg": image,
            "t/p.xhtml": Data("<html><body><img src='../i.jpg'/></body></html>".utf8),
        ]
        #expect(try book(manifest: manifest, files: files).cover?.href == "OEBPS/i.jpg")
        // Without landmarks the first large image is taken, and a damaged navigation document is not reported.
        for damaged in ["", "<html", navigation.replacing("landmarks", with: "page-list")] {
            let info = try book(
                manifest: manifest, files: files.merging(["n/nav.xhtml": Data(damaged.utf8)]) { $1 })
            #expect(info.cover?.href == "OEBPS/o.jpg")
            #expect(info.shortcomings.isEmpty)
        }
    }

    @Test("A named cover that is missing is reported, and the next sign is followed")
    func missing() throws {
        let info = try book(
            "<meta name='cover' content='c'/>",
            manifest: """
                <item id="c" href="gone.jpg" media-type="image/jpeg"/>
                <item id="x" href="x.jpg" media-type="image/jpeg"/>
                """, guide: "<reference type='cover' href='x.jpg'/>", files: ["x.jpg": image])
        #expect(info.cover?.href == "OEBPS/x.jpg")
        #expect(info.shortcomings.map(\.code) == [.missingCover])
        #expect(info.shortcomings.map(\.subject) == ["gone.jpg"])
        let none = try book("<meta name='cover' content='nothing'/>", files: [:])
        #expect(none.cover == nil)
        #expect(none.shortcomings.map(\.code) == [.missingCover])
    }

    @Test("A cover in another folder than stated is found by its name if there is only one")
    func stray() throws {
        let manifest = "<item id='c' href='wrong/c.jpg' media-type='image/jpeg' properties='cover-image'/>"
        #expect(
            try book(manifest: manifest, files: ["right/c.jpg": image]).cover?.href == "OEBPS/right/c.jpg")
        let two = try book(manifest: manifest, files: ["1/c.jpg": image, "2/c.jpg": image])
        #expect(two.cover == nil)
    }

    @Test("References that differ in capitals, or are not percent-encoded, are understood")
    func spelling() throws {
        for (href, path) in [
            ("Images/COVER.JPG", "images/cover.jpg"), ("a%b.jpg", "a%b.jpg"), ("./x/../c.jpg?v=1#f", "c.jpg"),
            ("x\\c.jpg", "x/c.jpg"), ("/OEBPS/c.jpg", "c.jpg"), ("../../../OEBPS/c.jpg", "c.jpg"),
            ("a+b.jpg", "a+b.jpg"),
        ] {
            let info = try book(
                manifest: "<item id='q' href='\(href)' media-type='image/jpg' properties='cover-image'/>",
                files: [path: image])
            #expect(info.cover?.href == "OEBPS/" + path)
            #expect(info.cover?.mediaType == .jpeg)
        }
    }

    @Test("A reference to the web or to what is not in the archive finds nothing")
    func outside() throws {
        for href in ["../../../etc/c.jpg", "https://example.org/c.jpg", "data:image/png;base64,AAAA", ""] {
            let info = try book(
                manifest: "<item id='q' href='\(href)' media-type='image/jpeg' properties='cover-image'/>",
                files: ["other.jpg": Data([1])])
            #expect(info.cover == nil)
            #expect(info.shortcomings.map(\.code) == [.missingCover])
        }
    }

    @Test("Without a declared cover, an image called cover, the first page's or the first large one is used")
    func likely() throws {
        let plain = "<item id='i1' href='a.jpg' media-type='image/jpeg'/>"
        let called = try book(
            manifest: plain + "<item id='i2' href='x/Cover1.jpg' media-type='image/jpeg'/>",
            files: ["a.jpg": image, "x/Cover1.jpg": image])
        #expect(called.cover?.href == "OEBPS/x/Cover1.jpg")
        let byId = try book(
            manifest: plain + "<item id='Cover' href='b.jpg' media-type='image/jpeg'/>",
            files: ["a.jpg": image, "b.jpg": image])
        #expect(byId.cover?.href == "OEBPS/b.jpg")
        let page = try book(
            manifest: plain + """
                <item id='p' href='p.xhtml' media-type='application/xhtml+xml'/>
                <item id='i2' href='b.jpg' media-type='image/jpeg'/>
                """, spine: "<itemref idref='p'/>",
            files: ["a.jpg": image, "b.jpg": image, "p.xhtml": Data("<html><img src='b.jpg'/></html>".utf8)])
        #expect(page.cover?.href == "OEBPS/b.jpg")
        let first = try book(
            manifest: "<item id='o' href='o.gif' media-type='image/gif'/>" + plain,
            files: ["o.gif": TestBook.image(300), "a.jpg": image])
        #expect(first.cover?.href == "OEBPS/a.jpg")
        let ornament = try book(
            manifest: "<item id='o' href='o.gif' media-type='image/gif'/>",
            files: ["o.gif": TestBook.image(300)])
        #expect(ornament.cover == nil)
        #expect(ornament.shortcomings.isEmpty)
    }

    @Test("An encrypted cover is reported and not given")
    func encrypted() throws {
        let manifest = "<item id='q' href='c.jpg' media-type='image/jpeg' properties='cover-image'/>"
        var archive = TestBook.archive(TestBook.package("<dc:title>T</dc:title>", manifest: manifest))
        archive.add("OEBPS/c.jpg", image)
        archive.add(
            "META-INF/encryption.xml",
            """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">
            <enc:EncryptedData><enc:CipherData><enc:CipherReference URI="OEBPS/c.jpg"/></enc:CipherData></enc:EncryptedData>
            </encryption>
            """)
        let listed = try archive.epub()
        #expect(listed.cover == nil)
        #expect(listed.shortcomings.map(\.code) == [.encrypted])
        var flagged = TestBook.archive(TestBook.package("<dc:title>T</dc:title>", manifest: manifest))
        flagged.add("OEBPS/c.jpg", image, isEncrypted: true)
        #expect(try flagged.epub().shortcomings.map(\.code) == [.encrypted])
    }

    @Test("A cover that was closed or damaged meanwhile is an error, not a trap")
    func failing() throws {
        let manifest = "<item id='q' href='c.jpg' media-type='image/jpeg' properties='cover-image'/>"
        var archive = TestBook.archive(TestBook.package("<dc:title>T</dc:title>", manifest: manifest))
        archive.add("OEBPS/c.jpg", image, hasWrongChecksum: true)
        let damaged = try #require(try archive.epub().cover)
        #expect(throws: PublicationError.self) { try damaged.read() }
        let source = CountingByteSource(archive.data)
        let cover = try #require(try Publication.read(from: source, format: .epub).cover)
        source.close()
        do {
            _ = try cover.read()
            Issue.record("a closed source was read")
        } catch {
            #expect(error.code == .unreadable)
        }
    }
}
