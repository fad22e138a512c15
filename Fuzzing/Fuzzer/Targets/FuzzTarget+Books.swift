import ArchiveBuilder
import Archives
import FoundationEssentials
import FormatSamples
import Formats
import Publications

@testable import BookBuilders

extension FuzzTarget {
    /// A PDF file, near and far. Only near files are searched if their cross-reference table is damaged.
    static let pdf = FuzzTarget(
        name: "pdf", longest: 32 << 10,
        run: { data in
            read(data, as: .pdf)
            read(data, as: .pdf, isNear: true)
        },
        seeds: {
            var packed = PDFBuilder(header: "%PDF-1.5\n")
            packed.pack(
                9,
                [
                    (1, "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>"),
                    (2, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"), (3, "<< /Type /Page /Parent 2 0 R >>"),
                    (
                        4,
                        "<< /Title <FEFF0041> /Author (A\\051\\n) /CreationDate (D:20200101120000+02'00') >>"
                    ),
                ])
            packed.entryStream(10, PDFBuilder.trailer)
            var updated = PDFBuilder.simple(info: "/Title (One)")
            updated.table(PDFBuilder.trailer)
            updated.object(4, "<< /Title (Two) /Keywords (a; b) >>")
            updated.table(PDFBuilder.trailer)
            var locked = PDFBuilder.simple(info: "/Title (x)")
            locked.object(
                5,
                "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <\(String(repeating: "00", count: 32))> /U <\(String(repeating: "00", count: 32))> >>"
            )
            locked.table(PDFBuilder.trailer + " /Encrypt 5 0 R /ID [<00><00>]")
            var pictured = PDFBuilder.simple(catalogue: "/Metadata 6 0 R")
            pictured.object(
                3, "<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /XObject << /I 8 0 R >> >> >>")
            pictured.stream(
                6, "/Type /Metadata /Subtype /XML",
                Array(
                    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title><rdf:Alt><rdf:li xml:lang='x-default'>T</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
                        .utf8))
            pictured.stream(7, "", Array("q 200 0 0 300 0 0 cm /I Do Q".utf8))
            pictured.stream(
                8, "/Type /XObject /Subtype /Image /Width 2 /Height 2 /Filter /DCTDecode",
                [0xFF, 0xD8, 0xFF, 0xE0])
            pictured.table(PDFBuilder.trailer)
            return [
                PDFBuilder.finished(info: "/Title (Plain) /Author (A; B)"), packed.bytes, updated.bytes,
                locked.bytes, pictured.bytes,
            ].map { Data($0) }
        })

    /// A Mobipocket or Kindle book.
    static let mobi = FuzzTarget(
        name: "mobi", longest: 16 << 10,
        run: { data in
            for type in ["application/x-mobipocket-ebook", "application/vnd.amazon.ebook"].compactMap({
                MediaType($0)
            }) { read(data, as: type) }
        },
        seeds: {
            var book = MOBIBuilder()
            book.textRecords = 0
            book.fullName = Array("Full".utf8)
            book.images = [[0xFF, 0xD8, 0xFF, 0xE0, 1], [0xFF, 0xD8, 0xFF, 0xE0, 2]]
            for (kind, text) in [
                (100, "Author &amp; Co"), (101, "P"), (103, "D"), (104, "9780306406157"), (105, "S"),
                (106, "2020-01-01"), (113, "ASIN"), (503, "Title"), (524, "en"),
            ] { book.add(kind, text) }
            book.add(201, number: 1)
            var old = MOBIBuilder()
            (old.textRecords, old.encoding, old.hasExtra, old.kind) = (1, 1252, false, "TEXtREAd")
            var both = book
            both.second = book.header
            both.add(121, number: 4)
            return [book.bytes, old.bytes, both.bytes].map { Data($0) }
        })

    /// A publication of unknown format, under correct and wrong names.
    static let publication = FuzzTarget(
        name: "publication", longest: 32 << 10,
        run: { data in
            for name in [nil, "a.epub", "a.cbz", "a.zab", "a.webpub", "a.txt"] as [String?] {
                let info = attempt { () throws(PublicationError) in
                    try Publication.read(from: CountingSource(data), name: name)
                }
                expect(info.map { Publication.canRead($0.format) } ?? true, "read as what cannot be read")
                if let info { _ = attempt { () throws(PublicationError) in try info.cover?.read() } }
            }
        },
        seeds: {
            let container =
                "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile full-path=\"a.opf\"/></rootfiles></container>"
            let book = ZipBuilder([
                "mimetype": "application/epub+zip", "META-INF/container.xml": container,
                "a.opf": "<package><metadata><title>T</title></metadata></package>",
            ])
            return [book.data()] + FormatSample.all.map { Data($0.content) } + (try RealBooks.smallArchives())
        })
}
