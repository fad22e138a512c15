import Archives
import Formats
import JSON
import Testing

@testable import Publications

@Suite("A publication is written as the JSON of a book")
struct BookObjectTests {
    @Test("Members are those of the command line, and what is not known is left out")
    func members() throws {
        var info = try TestBook.archive(
            TestBook.package(
                """
                <dc:title opf:file-as="Book, A">A Book</dc:title><dc:creator opf:file-as="Doe, J.">J. Doe</dc:creator>
                <dc:identifier>urn:uuid:A1B2C3D4-0000-1111-2222-333344445555</dc:identifier><dc:date>2001-02</dc:date>
                <dc:subject>x</dc:subject><meta name="calibre:series" content="S"/>
                <meta name="calibre:series_index" content="2.0"/><meta name="calibre:rating" content="9"/>
                """)
        ).epub()
        info.cover = Cover(mediaType: .png, href: "c", size: 3) { () throws(PublicationError) in
            throw PublicationError(.notFound, "x")
        }
        let book = info.book(path: "/b.epub", size: 17)
        #expect(
            JSONValue.object(book).text()
                == #"{"path": "/b.epub", "uuid": "a1b2c3d4-0000-1111-2222-333344445555", "title": "A Book", "title_sort": "Book, A", "#
                + #""authors": ["J. Doe"], "author_sort": "Doe, J.", "series": "S", "series_index": 2, "pubdate": "2001-02-01", "#
                + #""tags": ["x"], "rating": 4.5, "size": 17, "format": "application/epub+zip", "cover": {"media_type": "image/png", "size": 3}, "#
                + #""identifiers": [{"scheme": "uuid", "value": "A1B2C3D4-0000-1111-2222-333344445555"}]}"#)
    }

    @Test("Shortcomings are listed, and a book without a cover says null")
    func shortcomings() {
        let info = PublicationInfo(
            format: .text, shortcomings: [Shortcoming(.missingTitle, subject: "title", message: "m")])
        #expect(
            JSONValue.object(info.book(path: "p", size: nil)).text()
                == #"{"path": "p", "format": "text/plain", "cover": null, "shortcomings": [{"code": "missing_title", "subject": "title", "message": "m"}]}"#
        )
    }
}
