import Publications
import Testing

@Suite("Identifiers, dates and other fields of an EPUB are read")
struct FieldTests {
    @Test("The unique identifier comes first, and schemes are known by attribute, prefix or form")
    func identifiers() throws {
        let data = try metadata(
            """
            <dc:identifier opf:scheme="ISBN">978-3-16-148410-0</dc:identifier>
            <dc:identifier id="id">urn:uuid:A1B2C3D4-0000-1111-2222-333344445555</dc:identifier>
            <dc:identifier>https://example.org/1</dc:identifier><dc:identifier>doi:10.1000/182</dc:identifier>
            <dc:identifier opf:scheme="MOBI-ASIN">B000FC1PJI</dc:identifier><dc:identifier>unknown</dc:identifier>
            <dc:identifier>unknown</dc:identifier><dc:identifier/>
            """)
        #expect(
            data.identifiers == [
                PublicationIdentifier(scheme: "uuid", value: "A1B2C3D4-0000-1111-2222-333344445555"),
                PublicationIdentifier(scheme: "isbn", value: "978-3-16-148410-0"),
                PublicationIdentifier(scheme: "uri", value: "https://example.org/1"),
                PublicationIdentifier(scheme: "doi", value: "10.1000/182"),
                PublicationIdentifier(scheme: "asin", value: "B000FC1PJI"),
                PublicationIdentifier(scheme: nil, value: "unknown"),
            ])
        #expect(data.uuid == "a1b2c3d4-0000-1111-2222-333344445555")
        #expect(data.isbn == "9783161484100")
    }

    @Test("ONIX codes of the identifier's type name the scheme")
    func onix() throws {
        for (code, scheme) in [("15", "isbn"), ("02", "isbn"), ("06", "doi"), ("01", nil)] {
            let data = try metadata(
                """
                <dc:identifier id="x">123</dc:identifier>
                <meta refines="#x" property="identifier-type" scheme="onix:codelist5">\(code)</meta>
                """)
            #expect(data.identifiers == [PublicationIdentifier(scheme: scheme, value: "123")])
        }
    }

    @Test("The uuid of calibre's library counts before that of the book")
    func calibreUUID() throws {
        let data = try metadata(
            """
            <dc:identifier id="id" opf:scheme="uuid">11111111-1111-1111-1111-111111111111</dc:identifier>
            <dc:identifier opf:scheme="calibre">22222222-2222-2222-2222-222222222222</dc:identifier>
            """)
        #expect(data.uuid == "22222222-2222-2222-2222-222222222222")
    }

    @Test(
        "A stated UUID counts before a unique identifier that has the form of one under any scheme"
    )
    func statedUUID() throws {
        let stated = "<dc:identifier opf:scheme='UUID'>22222222-2222-2222-2222-222222222222</dc:identifier>"
        let bare = "<dc:identifier id='id'>11111111-1111-1111-1111-111111111111</dc:identifier>"
        #expect(try metadata(bare + stated).uuid == "22222222-2222-2222-2222-222222222222")
        #expect(try metadata(bare).uuid == "11111111-1111-1111-1111-111111111111")
        let named = bare.replacing("id='id'", with: "id='id' opf:scheme='BookID'")
        #expect(try metadata(named).uuid == "11111111-1111-1111-1111-111111111111")
    }

    @Test("Dates of EPUB 2 are read by their events")
    func events() throws {
        let data = try metadata(
            """
            <dc:date opf:event="creation">2001-01-01</dc:date><dc:date opf:event="modification">2010-02-03</dc:date>
            <dc:date opf:event="original-publication">1869</dc:date><dc:date opf:event="publication">2004-05</dc:date>
            """)
        #expect(data.published?.description == "2004-05")
        #expect(data.modified?.description == "2010-02-03")
        let original = try metadata("<dc:date opf:event='original-publication'>1869</dc:date>")
        #expect(original.published?.dayText == "1869-01-01")
    }

    @Test("Dates of EPUB 3 are read with time and zone")
    func dates() throws {
        let data = try metadata(
            """
            <dc:date>2015-07-01T22:00:00+02:00</dc:date><meta property="dcterms:modified">2020-12-31T23:59:59Z</meta>
            """)
        #expect(data.published?.description == "2015-07-01T22:00:00+02:00")
        #expect(data.published?.dayText == "2015-07-01")
        #expect(data.modified?.description == "2020-12-31T23:59:59Z")
        #expect(
            try metadata("<meta property='dcterms:issued'>1999</meta>").published?.description == "1999")
    }

    @Test("Calibre's year for an unknown date is not a date, and nonsense is reported")
    func badDates() throws {
        let unknown = try TestBook.archive(
            TestBook.package("<dc:title>T</dc:title><dc:date>0101-01-01T00:00:00+00:00</dc:date>")
        ).epub()
        #expect(unknown.metadata.published == nil)
        #expect(unknown.shortcomings.isEmpty)
        let nonsense = try TestBook.archive(
            TestBook.package("<dc:title>T</dc:title><dc:date>soon</dc:date>")
        ).epub()
        #expect(nonsense.metadata.published == nil)
        #expect(nonsense.shortcomings.map(\.code) == [.badValue])
    }

    @Test("Languages, publisher, rights and subjects are read once each and without blanks")
    func simple() throws {
        let data = try metadata(
            """
            <dc:language> de-CH </dc:language><dc:language>en</dc:language><dc:language>de-CH</dc:language>
            <dc:language>und</dc:language><dc:publisher>  </dc:publisher><dc:publisher>P &amp; Q</dc:publisher>
            <dc:rights>Public domain</dc:rights><dc:subject>A</dc:subject><dc:subject>B, C</dc:subject>
            <dc:subject>A</dc:subject><dc:subject/>
            """)
        #expect(data.languages == ["de-CH", "en"])
        #expect(data.publisher == "P & Q")
        #expect(data.rights == "Public domain")
        #expect(data.subjects == ["A", "B, C"])
    }

    @Test("A description keeps its HTML when escaped, and its paragraphs when not")
    func description() throws {
        #expect(
            try metadata("<dc:description>\n&lt;p&gt;A&lt;/p&gt;\n</dc:description>").description
                == "<p>A</p>")
        #expect(
            try metadata("<dc:description><p>A</p><p>B <i>c</i></p></dc:description>").description
                == "A\n\nB c")
        #expect(
            try metadata("<dc:description><![CDATA[a <b> & c]]></dc:description>").description == "a <b> & c")
    }

    @Test("Calibre's half stars become stars, and a page count is taken from schema.org's property")
    func numbers() throws {
        #expect(try metadata("<meta name='calibre:rating' content='7.0'/>").rating == 3.5)
        #expect(try metadata("<meta name='calibre:rating' content='70'/>").rating == nil)
        #expect(try metadata("<meta property='schema:numberOfPages'>312</meta>").pageCount == 312)
        #expect(try metadata("<meta property='schema:numberOfPages'>1e300</meta>").pageCount == nil)
    }

    @Test("Old package documents group their fields, and write them with capitals")
    func openEbook() throws {
        let info = try TestBook.archive(
            """
            <?xml version="1.0"?><!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN"
            "http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd"><package unique-identifier="x"><metadata><dc-metadata
            xmlns:dc="http://purl.org/dc/elements/1.0/"><dc:Title>Old</dc:Title><dc:Creator role="aut">A</dc:Creator>
            <dc:Identifier id="x" scheme="ISBN">316148410X</dc:Identifier></dc-metadata><x-metadata>
            <meta name="calibre:series" content="S"/></x-metadata></metadata></package>
            """
        ).epub()
        #expect(info.metadata.title == "Old")
        #expect(info.metadata.authors == [Contributor("A", roles: ["aut"])])
        #expect(info.metadata.isbn == "316148410X")
        #expect(info.metadata.series == PublicationSeries("S"))
        #expect(info.shortcomings.isEmpty)
    }
}
