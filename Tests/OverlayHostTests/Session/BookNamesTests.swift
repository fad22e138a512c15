import OverlayABI
import Testing

@testable import OverlayHost

@Suite("A book is identified by its path, its uuid, or a title that only it has")
struct BookNamesTests {
    private func session(_ books: [BookRecord]) throws -> HostSession {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in
            for book in books where sink.put(book) != OVL_OK { return OVL_STOPPED }
            return OVL_OK
        }
        return try environment.session()
    }

    private func book(_ path: String, _ title: String? = nil, uuid: String? = nil, authors: [String]? = nil)
        -> BookRecord
    {
        var book = BookRecord(path: path)
        book.title = title
        book.uuid = uuid
        book.authors = authors
        return book
    }

    private var library: [BookRecord] {
        [
            book("/a.epub", "Émile", uuid: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"),
            book("/b.epub", "emile", authors: ["Zola", "Co"]), book("/c.epub", "Der Prozeß  "),
            book("/d.epub", "/a.epub"), book("/e.epub", "Twin"), book("/f.epub", "Twin"), book("/g.epub"),
        ]
    }

    @Test(
        "Each name finds its book",
        arguments: [
            ("/a.epub", "/a.epub"), ("6f9619ff-8b86-d011-b42d-00cf4fc964ff", "/a.epub"),
            ("urn:uuid:6F9619FF-8B86-D011-B42D-00CF4FC964FF", "/a.epub"), ("Émile", "/a.epub"),
            ("emile", "/b.epub"),
            ("der prozeß", "/c.epub"), ("E\u{301}mile", "/a.epub"), ("/g.epub", "/g.epub"),
        ])
    func found(_ name: String, _ path: String) throws {
        let session = try session(library)
        defer { session.close() }
        #expect(try session.find([name]).first?.get().path == path)
    }

    @Test("A path is found in either Unicode form, and keeps the bytes that the overlay listed")
    func spellings() throws {
        let (composed, decomposed) = ("/caf\u{E9}", "/cafe\u{301}")
        let session = try session([
            book(decomposed + " 1"), book(composed + " 2"), book(composed + " 3"), book(decomposed + " 3"),
            book("/e\u{323}\u{302}"), book("/\u{1EB9}\u{302}"),
        ])
        defer { session.close() }
        let names = [composed + " 1", decomposed + " 2", composed + " 3", decomposed + " 3"]
        let listed = [decomposed + " 1", composed + " 2", composed + " 3", decomposed + " 3"]
        let found = try session.find(names).map { try Array($0.get().path.utf8) }
        #expect(found == listed.map { Array($0.utf8) })
        let error = hostError { () throws(HostError) in _ = try session.info("/\u{1EC7}") }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasPrefix("2 books have this path") == true)
    }

    @Test("The error for a title of several books names the candidates")
    func ambiguous() throws {
        let session = try session(library)
        defer { session.close() }
        let results = try session.find(["EMILE", "Twin"])
        for (result, paths) in zip(results, [["/a.epub", "/b.epub (Zola, Co)"], ["/e.epub", "/f.epub"]]) {
            guard case .failure(let error) = result else { return #expect(Bool(false), "one was found") }
            #expect(error.code == .invalidArgument)
            for path in paths { #expect(error.message.contains(path)) }
        }
    }

    @Test("A uuid that two books share finds neither, and the message says what they share")
    func sharedUUID() throws {
        let session = try session([book("/a", "One", uuid: "u"), book("/b", "Two", uuid: "U")])
        defer { session.close() }
        let error = hostError { () throws(HostError) in _ = try session.info("u") }
        #expect(error?.message == "2 books have this uuid: /a; /b.")
        #expect(error?.hint == "Use the book's path instead.")
    }

    @Test("A name without a book is not found", arguments: ["", "nothing", "/B.epub", "/a"])
    func notFound(_ name: String) throws {
        let session = try session(library)
        defer { session.close() }
        #expect(hostError { () throws(HostError) in _ = try session.info(name) }?.code == .notFound)
    }

    @Test("Two books with one path break the contract")
    func duplicatePath() throws {
        let session = try session([book("/a", "x"), book("/b"), book("/a", "y")])
        defer { session.close() }
        let error = hostError { () throws(HostError) in _ = try session.books() }
        #expect(error?.code == .contractBroken)
        #expect(error?.message.contains("Two books have the path /a.") == true)
    }

    @Test("Thousands of paths are distinguished")
    func manyPaths() throws {
        let session = try session((0..<5000).map { book("/Documents/\($0).epub") })
        defer { session.close() }
        let books = try session.books()
        #expect(books.count == 5000)
        for index in [0, 1, 4095, 4999] {
            #expect(books.position(ofPath: "/Documents/\(index).epub") == index)
        }
        #expect(books.position(ofPath: "/Documents/5000.epub") == nil)
        #expect(BookList().position(ofPath: "/x") == nil)
    }
}
