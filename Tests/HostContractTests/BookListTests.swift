import BookModel
import OverlayBridge
import Testing

@testable import HostContract

@Suite("A booklist keeps its books packed")
struct BookListTests {
    private func list(_ books: [Book]) throws -> BookList {
        var list = BookList()
        for book in books { #expect(list.append(try PackedBook(book))) }
        return list
    }

    @Test("Books come back in their order with all that they have, and are found by the bytes of their paths")
    func books() throws {
        let books = (0..<3000).map { number in
            Book(
                path: "/é\(number)", title: "T \(number)",
                annotations: number % 1000 == 0 ? [Annotation(note: "\(number)")] : [])
        }
        let list = try list(books)
        #expect(list.map(\.book) == books)
        for number in [0, 7, 2999] { #expect(list.position(ofPath: "/é\(number)") == number) }
        #expect(list.position(ofPath: "/e\u{301}7") == nil)
        #expect(list.position(ofPath: "/é3000") == nil)
    }

    @Test("A path that is there already, and a book without a path, are refused and change nothing")
    func refused() throws {
        var list = try list([Book(path: "/a", title: "A")])
        #expect(try !list.append(PackedBook(Book(path: "/a", title: "B"))))
        #expect(try !list.append(PackedBook(Book(title: "C"))))
        #expect(list.map(\.title) == ["A"])
        #expect(try list.append(PackedBook(Book(path: "/b"))))
        #expect(list.position(ofPath: "/b") == 1)
    }
}
