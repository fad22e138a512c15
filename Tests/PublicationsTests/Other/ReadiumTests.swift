import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("Readium's packages and manifests are read")
struct ReadiumTests {
    private func read(_ manifest: String, _ format: MediaType = .webPubManifest) throws -> PublicationInfo {
        try Publication.read(from: DataByteSource(Data(manifest.utf8)), name: "m.json", format: format)
    }

    private func package(_ manifest: String, _ format: MediaType, _ files: String...) throws
        -> PublicationInfo
    {
        var archive = TestArchive(["manifest.json": manifest])
        for file in files { archive.add(file, TestBook.image(50)) }
        return try Publication.read(from: DataByteSource(archive.data), name: "p.webpub", format: format)
    }

    @Test("All values of a manifest are read")
    func everything() throws {
        let info = try read(
            """
            {"@context": "https://readium.org/webpub-manifest/context.jsonld", "metadata": {
            "title": {"fr": "Vingt mille", "en": "Twenty Thousand"}, "sortAs": "Twenty", "subtitle": "Sub", "language": ["en", "fr"],
            "author": [{"name": {"en": "Jules Verne", "ja": "ジュール・ヴェルヌ"}, "sortAs": "Verne, Jules"}, "Second"],
            "translator": "Tr", "narrator": {"name": "N", "role": "nrt"}, "contributor": [{"name": "Ed", "role": ["edt", "ill"]}],
            "publisher": {"name": "Pub"}, "imprint": "Imp", "identifier": "urn:isbn:9783161484100",
            "altIdentifier": ["urn:uuid:A1B2C3D4-0000-1111-2222-333344445555", {"value": "10.1/2", "scheme": "https://doi.org/doi"}],
            "subject": ["A", {"name": "B", "code": "x"}, "A"], "published": "1870-05", "modified": "2020-01-02T03:04:05Z",
            "description": " <p>D</p> ", "numberOfPages": 300, "duration": 12.5,
            "belongsTo": {"series": {"name": "S", "position": 2}, "collection": ["C", {"name": "D"}]}},
            "links": [{"rel": "self", "href": "https://example.org/a/m.json", "type": "application/webpub+json"}],
            "readingOrder": [{"href": "1.html", "type": "text/html"}],
            "resources": [{"href": "../i/c.jpg", "rel": ["x", "cover"], "type": "image/jpeg"}]}
            """)
        let data = info.metadata
        #expect(data.title == "Twenty Thousand")
        #expect(data.alternateTitles == ["fr": "Vingt mille"])
        #expect(data.titleSort == "Twenty")
        #expect(data.subtitle == "Sub")
        #expect(
            data.authors == [
                Contributor("Jules Verne", fileAs: "Verne, Jules", alternateNames: ["ja": "ジュール・ヴェルヌ"]),
                Contributor("Second"),
            ])
        #expect(
            data.contributors == [
                Contributor("Tr", roles: ["trl"]), Contributor("N", roles: ["nrt"]),
                Contributor("Ed", roles: ["edt", "ill"]),
            ])
        #expect(data.publisher == "Pub")
        #expect(data.isbn == "9783161484100")
        #expect(data.uuid == "a1b2c3d4-0000-1111-2222-333344445555")
        #expect(data.identifiers.last == PublicationIdentifier(scheme: "doi", value: "10.1/2"))
        #expect(data.subjects == ["A", "B"])
        #expect(data.published?.description == "1870-05")
        #expect(data.modified?.description == "2020-01-02T03:04:05Z")
        #expect(data.description == "<p>D</p>")
        #expect(data.pageCount == 300)
        #expect(data.duration == 12.5)
        #expect(data.series == PublicationSeries("S", position: 2))
        #expect(data.collections == [PublicationSeries("C"), PublicationSeries("D")])
        #expect(data.languages == ["en", "fr"])
        #expect(info.shortcomings.isEmpty)
        let cover = try #require(info.cover)
        #expect(cover.href == "https://example.org/i/c.jpg")
        #expect(cover.size == nil)
        #expect(throws: PublicationError.self) { try cover.read() }
    }

    @Test("A text without a wanted language is the one without language, else the first")
    func localised() throws {
        #expect(try read(#"{"metadata": {"title": {"de": "D", "und": "U"}}}"#).metadata.title == "U")
        #expect(try read(#"{"metadata": {"title": {"de": "D", "fr": "F"}}}"#).metadata.title == "D")
        #expect(
            try read(#"{"metadata": {"author": {"de": "D"}, "title": "t"}}"#).metadata.authors.map(\.name)
                == ["D"])
    }

    @Test("Members of the wrong type count as absent")
    func wrongTypes() throws {
        let info = try read(
            """
            {"metadata": {"title": 7, "author": [null, 3, {"name": []}], "language": {}, "subject": true, "belongsTo": "x",
            "numberOfPages": -4, "published": "soon", "duration": "x"}, "links": {}, "resources": [1, {"rel": "cover"}]}
            """)
        #expect(info.metadata == PublicationMetadata(title: "m"))
        #expect(info.cover == nil)
        #expect(info.shortcomings.map(\.code) == [.badValue, .badValue, .missingTitle])
    }

    @Test("A package's cover is the resource of that relation; an encrypted or missing one is reported")
    func packageCover() throws {
        func manifest(_ more: String) -> String {
            #"{"metadata": {"title": "T"}, "resources": [{"href": "a%20b.png", "rel": "cover", "type": "image/png"\#(more)}]}"#
        }
        let info = try package(manifest(""), .webPub, "a b.png")
        #expect(info.cover?.href == "a b.png")
        #expect(try info.cover?.read() == TestBook.image(50))
        #expect(info.shortcomings.isEmpty)
        let encrypted = try package(
            manifest(#", "properties": {"encrypted": {"scheme": "http://readium.org/2014/01/lcp"}}"#),
            .lcpProtectedPdf,
            "a b.png")
        #expect(encrypted.metadata.title == "T")
        #expect(encrypted.cover == nil)
        #expect(encrypted.shortcomings.map(\.code) == [.encrypted])
        #expect(try package(manifest(""), .audiobook).shortcomings.map(\.code) == [.missingCover])
    }

    @Test("A visual narrative has its pages in reading order, and the first is its cover")
    func comic() throws {
        let manifest =
            #"{"metadata": {"title": "T"}, "readingOrder": [{"href": "2.jpg", "type": "image/jpeg"}, {"href": "1.jpg"}]}"#
        let info = try package(manifest, .diViNa, "1.jpg", "2.jpg")
        #expect(info.metadata.pageCount == 2)
        #expect(info.cover?.href == "2.jpg")
        #expect(try package(manifest, .webPub, "1.jpg", "2.jpg").cover == nil)
    }

    @Test("An OPDS publication's cover is its largest image")
    func opds() throws {
        let info = try read(
            """
            {"metadata": {"title": "T", "@type": "http://schema.org/Book"}, "links": [{"rel": "self", "href": "http://h/p/x"}], "images": [
            {"href": "s.png", "type": "image/png", "width": 10}, {"href": "/l.png", "type": "image/png", "width": 900}]}
            """, .opds2Publication)
        #expect(info.cover?.href == "http://h/l.png")
    }

    @Test("A document that is not a JSON object is an error alone, and a shortcoming in a package")
    func damaged() throws {
        for text in ["", "[]", "{\"metadata\":", "null", String(repeating: "[", count: 100_000)] {
            #expect(throws: PublicationError.self) { try read(text) }
            let info = try package(text, .webPub)
            #expect(info.metadata == PublicationMetadata(title: "p"))
            #expect(info.shortcomings.map(\.code) == [.damagedPart, .missingTitle])
        }
        let none = try Publication.read(from: DataByteSource(TestArchive().data), format: .webPub)
        #expect(none.shortcomings.map(\.code) == [.missingPart, .missingTitle])
    }

    @Test("A manifest with any one byte changed is read or refused, never trapped on")
    func changedBytes() throws {
        let whole = Data(
            #"{"metadata":{"title":{"en":"T"},"author":[{"name":"A"}],"duration":1e5},"links":[{"href":"a","rel":"cover"}]}"#
                .utf8)
        var read = 0
        for index in whole.indices {
            for value in [0x00, 0x22, 0x2C, 0x5B, 0x7D, 0x39, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                do {
                    _ = try Publication.read(from: DataByteSource(bytes), format: .webPubManifest)
                    read += 1
                } catch { #expect(error.code == .damaged) }
            }
        }
        #expect(read > whole.count)
    }

    @Test("An OPDS 1 entry is read")
    func atom() throws {
        let info = try Publication.read(
            from: DataByteSource(
                Data(
                    """
                    <entry xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"><title>T</title>
                    <author><name>A</name></author><id>urn:uuid:A1B2C3D4-0000-1111-2222-333344445555</id>
                    <updated>2010-01-10T10:01:11Z</updated><dc:issued>1917</dc:issued><dc:language>en</dc:language>
                    <dc:publisher>P</dc:publisher><category term="x" label="X"/><summary>S</summary>
                    <link rel="http://opds-spec.org/image/thumbnail" href="/t.gif" type="image/gif"/>
                    <link rel="http://opds-spec.org/image" href="/c.jpg" type="image/jpeg"/></entry>
                    """.utf8)), format: .opds1Entry)
        #expect(info.metadata.title == "T")
        #expect(info.metadata.authors == [Contributor("A")])
        #expect(info.metadata.uuid == "a1b2c3d4-0000-1111-2222-333344445555")
        #expect(info.metadata.published?.description == "1917")
        #expect(info.metadata.modified?.dayText == "2010-01-10")
        #expect(info.metadata.publisher == "P")
        #expect(info.metadata.subjects == ["X"])
        #expect(info.metadata.description == "S")
        #expect(info.cover?.href == "/c.jpg")
        #expect(info.shortcomings.isEmpty)
    }
}
