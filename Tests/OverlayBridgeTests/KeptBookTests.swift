import BookModel
import Testing

@testable import OverlayBridge

@Suite("A kept book equals the original book")
struct KeptBookTests {
    @Test("Every value comes back, present or absent") func values() {
        let full = Book(
            path: "p", uuid: "u", title: "é", titleSort: "e", authors: ["A", ""], authorSort: "a, A",
            series: "S", seriesIndex: 1.5, publisher: "P", pubdate: "1816-01-02", dateAdded: -1,
            description: "D", tags: [], collections: ["C"], rating: 4.5, size: 7,
            format: "application/epub+zip", coverMediaType: "image/png", coverSize: 2, coverData: [1, 2],
            isLocked: false, wordCount: 9, progress: 0.25, contentID: "c", extra: #"{"x": 1}"#)
        #expect(Book.fields.filter { !$0.isPresent(in: full) }.map(\.name) == [])
        for book in [Book(), Book(title: ""), full] {
            #expect(CompactBook(book).book == book)
            #expect(CompactBook(book) == CompactBook(book))
        }
        for field in Book.fields {
            #expect(field.isPresent(in: CompactBook(full).book), "\(field.name)")
        }
        #expect(CompactBook(full) != CompactBook(Book(title: "é")))
    }

    @Test("A book with annotations, or beyond the limits of the contract, comes back whole") func others() {
        var noted = Book(title: "T")
        noted.annotations = [Annotation(kind: "highlight", text: "x")]
        let large = Book(title: String(repeating: "x", count: 1 << 21))
        #expect(CompactBook(noted).book == noted)
        #expect(CompactBook(large).book == large)
    }
}
