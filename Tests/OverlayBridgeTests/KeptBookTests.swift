import BookModel
import Testing

@testable import OverlayBridge

@Suite("A kept book is the book that it was made of")
struct KeptBookTests {
    @Test("Every value comes back, present or absent") func values() {
        var full = Book(path: "p", uuid: "u", title: "é", authors: ["A", ""], size: 7)
        (full.tags, full.rating, full.isLocked, full.dateAdded) = ([], 4.5, false, -1)
        full.cover = BookCover(mediaType: "image/png", size: 2, data: [1, 2])
        for book in [Book(), Book(title: ""), full] {
            #expect(KeptBook(book).book == book)
            #expect(KeptBook(book) == KeptBook(book))
        }
        #expect(KeptBook(full) != KeptBook(Book(title: "é")))
    }

    @Test("A book with annotations, or beyond the limits of the contract, comes back whole") func others() {
        var noted = Book(title: "T")
        noted.annotations = [Annotation(kind: "highlight", text: "x")]
        let large = Book(title: String(repeating: "x", count: 1 << 21))
        #expect(KeptBook(noted).book == noted)
        #expect(KeptBook(large).book == large)
    }
}
