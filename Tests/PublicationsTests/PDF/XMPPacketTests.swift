import Testing

@testable import Publications

/// A metadata packet with these properties.
func xmp(_ properties: String, attributes: String = "") -> [UInt8] {
    Array(
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
          xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
          xmlns:xmpidq="http://ns.adobe.com/xmp/Identifier/qual/1.0/"
          xmlns:prism="http://prismstandard.org/namespaces/basic/2.1/"
          xmlns:calibre="http://calibre-ebook.com/xmp-namespace"
          xmlns:calibreSI="http://calibre-ebook.com/xmp-namespace-series-index" \(attributes)>
        \(properties)
        </rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """.utf8)
}

/// A file with this metadata packet and document information.
func pdf(packet: [UInt8], info: String = "", dictionary: String = "") -> [UInt8] {
    var builder = PDFBuilder.simple(info: info, catalogue: "/Metadata 9 0 R")
    builder.stream(9, "/Type /Metadata /Subtype /XML \(dictionary)", packet)
    builder.table(PDFBuilder.trailer)
    return builder.bytes
}

@Suite("The metadata packet of a PDF file becomes metadata")
struct XMPPacketTests {
    private static let everything = """
        <dc:title><rdf:Alt><rdf:li xml:lang="de">Titel</rdf:li><rdf:li xml:lang="x-default">Title</rdf:li></rdf:Alt></dc:title>
        <dc:creator><rdf:Seq><rdf:li>Ann B</rdf:li><rdf:li>Cy, and D &amp; E</rdf:li></rdf:Seq></dc:creator>
        <dc:contributor><rdf:Bag><rdf:li>Helper</rdf:li></rdf:Bag></dc:contributor>
        <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Text</rdf:li></rdf:Alt></dc:description>
        <dc:subject><rdf:Bag><rdf:li>s1</rdf:li><rdf:li>s2, s3</rdf:li></rdf:Bag></dc:subject>
        <dc:publisher><rdf:Bag><rdf:li>House</rdf:li></rdf:Bag></dc:publisher>
        <dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">CC0</rdf:li></rdf:Alt></dc:rights>
        <dc:date><rdf:Seq><rdf:li>2019-05-04</rdf:li></rdf:Seq></dc:date>
        <dc:identifier>doi:10.1000/182</dc:identifier>
        <pdf:Keywords>k1, s1</pdf:Keywords>
        <xmp:ModifyDate>2022-01-02T03:04:05Z</xmp:ModifyDate>
        <prism:isbn>9783161484100</prism:isbn>
        <prism:publicationName>Journal</prism:publicationName><prism:number>7</prism:number>
        <calibre:series rdf:parseType="Resource"><rdf:value>Saga</rdf:value><calibreSI:series_index>2.50</calibreSI:series_index></calibre:series>
        <calibre:rating>8</calibre:rating>
        <xmp:Identifier><rdf:Bag><rdf:li rdf:parseType="Resource"><xmpidq:Scheme>goodreads</xmpidq:Scheme><rdf:value>42</rdf:value></rdf:li></rdf:Bag></xmp:Identifier>
        """

    @Test("Dublin Core, Adobe's, PRISM's and calibre's properties have their places")
    func all() throws {
        let info = try readPDF(pdf(packet: xmp(Self.everything)))
        let metadata = info.metadata
        #expect(metadata.title == "Title")
        #expect(metadata.alternateTitles == ["de": "Titel"])
        #expect(metadata.authors.map(\.name) == ["Ann B", "Cy, and D & E"])
        #expect(metadata.contributors == [Contributor("Helper", roles: ["ctb"])])
        #expect(metadata.description == "Text")
        #expect(metadata.subjects == ["s1", "s2, s3", "k1"])
        #expect(metadata.publisher == "House")
        #expect(metadata.languages == ["en"])
        #expect(metadata.rights == "CC0")
        #expect(metadata.published?.description == "2019-05-04")
        #expect(metadata.modified?.description == "2022-01-02T03:04:05Z")
        #expect(metadata.isbn == "9783161484100")
        #expect(metadata.identifiers.contains(PublicationIdentifier(scheme: "doi", value: "10.1000/182")))
        #expect(metadata.identifiers.contains(PublicationIdentifier(scheme: "goodreads", value: "42")))
        #expect(metadata.collections == [PublicationSeries("Journal", position: 7)])
        #expect(metadata.series == PublicationSeries("Saga", position: 2.5))
        #expect(metadata.rating == 4)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("Properties written as attributes, and arrays written as plain text, count too")
    func shortForms() throws {
        let packet = xmp(
            "<dc:creator>A; B</dc:creator>",
            attributes: #"dc:title="Short" pdf:Keywords="x;y" xmp:Rating="3""#)
        let metadata = try readPDF(pdf(packet: packet)).metadata
        #expect(metadata.title == "Short")
        #expect(metadata.authors.map(\.name) == ["A", "B"])
        #expect(metadata.subjects == ["x", "y"])
        #expect(metadata.rating == 3)
    }

    @Test("Packets in UTF-16 and compressed ones are read")
    func encodings() throws {
        let text = String(decoding: xmp("<dc:title>日本</dc:title>"), as: UTF8.self)
        let wide = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(try readPDF(pdf(packet: wide)).metadata.title == "日本")
        #expect(try readPDF(pdf(packet: [0xFE, 0xFF] + wide)).metadata.title == "日本")
        let small = PDFBuilder.deflated(Array(text.utf8))
        #expect(try readPDF(pdf(packet: small, dictionary: "/Filter /FlateDecode")).metadata.title == "日本")
    }

    @Test("The latest change counts, and the other source fills the gaps")
    func newest() throws {
        let packet = xmp(
            "<dc:title>Packet</dc:title><dc:publisher>P</dc:publisher><xmp:MetadataDate>2020-01-01T00:00:00Z</xmp:MetadataDate>"
        )
        let older = try readPDF(
            pdf(packet: packet, info: "/Title (Info) /Subject (S) /ModDate (D:20191231000000Z)"))
        #expect(older.metadata.title == "Packet")
        #expect(older.metadata.description == "S")
        let newer = try readPDF(pdf(packet: packet, info: "/Title (Info) /ModDate (D:20200101010000Z)"))
        #expect(newer.metadata.title == "Info")
        #expect(newer.metadata.publisher == "P")
        // The same moment in another zone.
        let same = try readPDF(pdf(packet: packet, info: "/Title (Info) /ModDate (D:20200101010000+01'00')"))
        #expect(same.metadata.title == "Packet")
        let unknown = try readPDF(pdf(packet: packet, info: "/Title (Info)"))
        #expect(unknown.metadata.title == "Packet")
    }

    @Test("A packet that ends early is read to its end, and the damage is named")
    func truncated() throws {
        let packet = xmp("<dc:title>Whole</dc:title><dc:publisher>Cut</dc:publisher>")
        let end = try #require(packet.firstRange(of: "<dc:publisher>"))
        let info = try readPDF(pdf(packet: Array(packet[..<end.upperBound])))
        #expect(info.metadata.title == "Whole")
        #expect(info.shortcomings.map(\.code) == [.damagedPart])
        #expect(info.shortcomings.map(\.subject) == ["Metadata"])
    }

    @Test("Entities are not expanded, and their declaration is named")
    func entities() throws {
        let text = String(
            decoding: xmp("<dc:title>a&b;c</dc:title><dc:publisher>P</dc:publisher>"), as: UTF8.self)
        let hostile = text.replacing(
            "<x:xmpmeta",
            with: #"<!DOCTYPE x [<!ENTITY b "\#(String(repeating: "z", count: 9_000))">]><x:xmpmeta"#)
        let info = try readPDF(pdf(packet: Array(hostile.utf8)))
        #expect(!(info.metadata.title ?? "").contains("zz"))
        #expect(info.shortcomings.contains { $0.code == .entitiesDeclared })
    }

    @Test("A packet that is not XML does not affect other metadata")
    func noXML() throws {
        let info = try readPDF(pdf(packet: Array("nothing".utf8), info: "/Title (T)"))
        #expect(info.metadata.title == "T")
        #expect(info.shortcomings.map(\.subject) == ["Metadata"])
    }
}
