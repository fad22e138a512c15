import BookModel
import OverlayBridge
import Testing

@testable import HostContract

@Suite("A booklist keeps its books packed")
struct BookListTests {
    private func append(_ book: Book, to list: inout BookList) throws(ContractBreach) {
        let arena = Arena()
        var (record, checker) = (arena.record(book), BookChecker())
        try list.append(&record, &checker)
        withExtendedLifetime(arena) {}
    }

    @Test("Books come back in their order with all that they have, and are found by the bytes of their paths")
    func books() throws {
        let books = (0..<3000).map { number in
            Book(
                path: "/é\(number)", title: "T \(number)",
                annotations: number % 1000 == 0 ? [Annotation(note: "\(number)")] : [])
        }
        let list = try BookList(books)
        #expect(list.map(\.book) == books)
        for number in [0, 7, 2999] { #expect(list.position(ofPath: "/é\(number)") == number) }
        #expect(list.position(ofPath: "/e\u{301}7") == nil)
        #expect(list.position(ofPath: "/é3000") == nil)
    }

    @Test("A path that is in the list, and a book without a path, are refused and change nothing")
    func refused() throws {
        var list = try BookList([Book(path: "/a", title: "A")])
        let twice = #expect(throws: ContractBreach.self) {
            try append(Book(path: "/a", title: "B", annotations: [Annotation(note: "N")]), to: &list)
        }
        #expect(twice?.kind == .bookTwice && twice?.message == "Two books have the path /a.")
        let unnamed = #expect(throws: ContractBreach.self) { try append(Book(title: "C"), to: &list) }
        #expect(unnamed?.kind == .bookPath)
        let unrated = #expect(throws: ContractBreach.self) {
            try append(Book(path: "/c", rating: 9), to: &list)
        }
        #expect(unrated?.kind == .bookValue)
        #expect(list.map(\.title) == ["A"])
        try append(Book(path: "/b"), to: &list)
        #expect(
            list.position(ofPath: "/b") == 1
                && list.map(\.book) == [Book(path: "/a", title: "A"), Book(path: "/b")])
    }

    @Test("A book that does not fit the usual memory is stored whole between small ones")
    func large() throws {
        let sizes = [10, 4070, 4096, 5000, 300_000, 20, 70_000, 1]
        let books = sizes.enumerated().map { number, size in
            Book(
                path: "/\(number)", description: String(repeating: "x", count: size),
                annotations: [Annotation(note: "\(size)")])
        }
        #expect(try BookList(books).map(\.book) == books)
    }

    @Test(
        "The digest of a book depends on each of its values except annotations, and not on its place in the list"
    )
    func digests() throws {
        // A cover without a media type is refused.
        let plain = Book(path: "/a", title: "T", coverMediaType: "image/jpeg")
        var books = [plain]
        for field in Book.fields where field.name != "path" {
            var book = plain
            switch field.value {
            case .text(let place): book[keyPath: place] = field.name == "pubdate" ? "2001-02-03" : "x"
            case .texts(let place): book[keyPath: place] = ["x"]
            case .number(let place): book[keyPath: place] = 0.5
            case .count(let place): book[keyPath: place] = 3
            case .time(let place): book[keyPath: place] = 3
            case .flag(let place): book[keyPath: place] = true
            case .bytes(let place): book[keyPath: place] = [3]
            }
            books.append(book)
        }
        var other = plain
        other.path = "/b"
        books.append(other)
        let digests = try books.map { try BookList([$0]).digest(at: 0) }
        #expect(Set(digests).count == books.count)
        var noted = plain
        noted.annotations = [Annotation(note: "N")]
        let list = try BookList([Book(path: "/first"), noted])
        #expect(list.digest(at: 1) == digests[0])
    }
}
