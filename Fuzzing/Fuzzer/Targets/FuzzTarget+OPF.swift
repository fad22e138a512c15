import ArchiveBuilder
import Archives
import FoundationEssentials
import Formats
import Publications

extension FuzzTarget {
    /// Documents that describe a book: as the package document of an EPUB, the description of a comic, the entry of a
    /// catalogue, a manifest, or a page.
    static let opf = FuzzTarget(
        name: "opf", longest: 16 << 10,
        run: { data in
            read(archive("OEBPS/content.opf", data, "OEBPS/c.jpg"), as: .epub)
            read(archive("ComicInfo.xml", data, "1.jpg"), as: .cbz)
            read(archive("book.acbf", data, "1.jpg"), as: .cbz)
            read(archive("manifest.json", data, "1.jpg"), as: .webPub)
            for format in [MediaType.opds1Entry, .html, .webPubManifest, .text] { read(data, as: format) }
        },
        seeds: {
            [
                """
                <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata \
                xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:title id="t">T\
                </dc:title><meta refines="#t" property="title-type">main</meta><dc:creator opf:role="aut" \
                opf:file-as="B, A" id="c">A B</dc:creator><meta refines="#c" property="role">aut</meta>\
                <dc:identifier id="i">urn:isbn:9780306406157</dc:identifier><dc:date>2020-02-30</dc:date>\
                <meta property="belongs-to-collection" id="s">S</meta><meta refines="#s" property="group-position">2.5\
                </meta><meta name="calibre:series" content="S"/><meta name="calibre:series_index" content="1e9"/>\
                <meta name="cover" content="x"/></metadata><manifest><item id="x" href="c.jpg" media-type="image/jpeg" \
                properties="cover-image"/></manifest><guide><reference type="cover" href="c.xhtml"/></guide></package>
                """,
                """
                <ComicInfo><Title>T</Title><Series>S</Series><Number>3</Number><Year>2020</Year><Month>2</Month>\
                <Day>31</Day><Writer>A, B</Writer><PageCount>9</PageCount><Pages><Page Image="0" Type="FrontCover"/>\
                </Pages><CommunityRating>4.5</CommunityRating></ComicInfo>
                """,
                """
                <ACBF xmlns="http://www.fictionbook-lib.org/xml/acbf/1.0"><meta-data><book-info><author>\
                <first-name>A</first-name></author><book-title lang="en">T</book-title><coverpage><image href="1.jpg"/>\
                </coverpage><sequence title="S">1</sequence></book-info></meta-data></ACBF>
                """,
                """
                {"metadata": {"title": {"en": "T", "fr": "U"}, "author": [{"name": "A", "sortAs": "B"}, "C"], \
                "identifier": "urn:uuid:6d2c2b2e-5ef1-4f4e-9c33-0b8d2a3b3e10", "belongsTo": {"series": {"name": "S", \
                "position": 1}}, "published": "2020-01-01T00:00:00Z", "duration": 1e3, "numberOfPages": 5}, \
                "links": [{"rel": "cover", "href": "1.jpg", "type": "image/jpeg"}], "readingOrder": []}
                """,
                """
                <entry xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"><title>T</title><author>\
                <name>A</name></author><dc:language>en</dc:language><link rel="http://opds-spec.org/image" href="c.jpg" \
                type="image/jpeg"/><category term="x" label="y"/><published>2020</published></entry>
                """,
            ].map { Data($0.utf8) }
                + (try RealBooks.packageDocuments())
        })

    private static func archive(_ name: String, _ document: Data, _ picture: String) -> Data {
        var builder = ZipBuilder()
        builder.entries = [
            ZipBuilder.Entry("mimetype", Data("application/epub+zip".utf8)), ZipBuilder.Entry(name, document),
            ZipBuilder.Entry(picture, Data([0xFF, 0xD8, 0xFF, 0xE0])),
        ]
        return builder.data()
    }

    /// Reads metadata and cover of any document, from a source marked as far away.
    static func read(_ data: Data, as format: MediaType, isNear: Bool = false) {
        let source = CountingSource(data, isNear: isNear)
        let info = attempt { () throws(PublicationError) in
            try Publication.read(from: source, name: "a book.x", format: format)
        }
        guard let info else { return }
        expect(info.metadata.title?.isEmpty != true, "an empty title")
        _ = (info.metadata.uuid, info.metadata.isbn, info.metadata.authorSort)
        if let cover = attempt({ () throws(PublicationError) in try info.cover?.read() }), let cover {
            expect(cover.count <= Cover.largest, "a cover larger than any may be")
        }
        let again = attempt { () throws(PublicationError) in
            try Publication.read(from: source, name: "a book.x", format: format)
        }
        expect(again?.metadata == info.metadata, "two readings differ")
        expect(again?.shortcomings == info.shortcomings, "two readings miss different things")
    }
}
