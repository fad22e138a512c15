import BookModel
import Testing

@testable import OverlayHost

@Suite("A booklist is searched by words and fields")
struct BookQueryTests {
    private let books: BookList

    init() throws {
        books = try BookList([
            Book(
                path: "emma.epub", uuid: "aaaa1111-0000-4000-8000-000000000000", title: "Emma",
                authors: ["Jane Austen"], authorSort: "Austen, Jane", publisher: "John Murray",
                pubdate: "1815-12-23", description: "<p>Handsome, <strong>clever</strong>, and rich</p>",
                tags: ["Classic"], collections: ["To read"], size: 300, format: "application/epub+zip"),
            Book(
                path: "etranger.pdf", title: "L’Étranger", titleSort: "Étranger, L’",
                authors: ["Albert Camus"], rating: 5, size: 20, format: "application/pdf"),
            Book(
                path: "dune2.epub", uuid: "urn:uuid:bbbb2222-0000-4000-8000-000000000000",
                title: "Dune Messiah", authors: ["Frank Herbert"], series: "Dune", seriesIndex: 2, rating: 3),
            Book(
                path: "dune10.epub", uuid: "bbbb3333-0000-4000-8000-000000000000", title: "Dune House",
                authors: ["Brian Herbert"], series: "Dune", seriesIndex: 10, size: 40),
        ])
    }

    private func found(_ change: (inout BookQuery) -> Void) -> [String] {
        var query = BookQuery()
        change(&query)
        return query.places(in: books).places.map { books[$0].path }
    }

    @Test(
        "All words occur in title, authors, series, tags or collections, regardless of the case and accents",
        arguments: [
            (["ETRANGER"], ["etranger.pdf"]), (["dune"], ["dune2.epub", "dune10.epub"]),
            (["dune", "frank"], ["dune2.epub"]), (["Jane  austen"], ["emma.epub"]),
            (["classic"], ["emma.epub"]), (["to READ"], ["emma.epub"]), (["emma", "dune"], []),
            ([], ["emma.epub", "etranger.pdf", "dune2.epub", "dune10.epub"]),
        ] as [([String], [String])])
    func words(words: [String], paths: [String]) { #expect(found { $0.words = words } == paths) }

    @Test(
        "A search looks into all texts, and orders books by how well they fit",
        arguments: [
            ("dune", ["dune2.epub", "dune10.epub"]), ("herbert -frank", ["dune10.epub"]),
            ("tag:classic", ["emma.epub"]),
            ("collection:\"to read\"", ["emma.epub"]), ("author:\"austen, jane\"", ["emma.epub"]),
            ("id:bbbb", ["dune2.epub", "dune10.epub"]), ("format:pdf", ["etranger.pdf"]), ("title:pdf", []),
            ("year:1815-12", ["emma.epub"]), ("publisher:murray", ["emma.epub"]), ("clever", ["emma.epub"]),
            ("path:dune10", ["dune10.epub"]), ("series:dune", ["dune2.epub", "dune10.epub"]), ("strong", []),
            ("emma OR dune", ["emma.epub", "dune2.epub", "dune10.epub"]),
        ] as [(String, [String])])
    func search(text: String, paths: [String]) {
        let found = found { $0.search = text }
        #expect(found.sorted() == paths.sorted())
    }

    @Test("Search results are in their own order, unless another is chosen, and other filters apply as well")
    func searchOrder() {
        #expect(found { $0.search = "e" }.count == 4)
        #expect(
            found {
                $0.search = "herbert"
                $0.sortField = "title"
            } == ["dune10.epub", "dune2.epub"])
        #expect(
            found {
                $0.search = "dune"
                $0.authors = ["frank"]
            } == ["dune2.epub"])
        let best = found { $0.search = "messiah OR house OR austen" }
        #expect(best.count == 3)
        #expect(
            found {
                $0.search = "messiah OR house OR austen"
                $0.isDescending = true
            } == best.reversed())
    }

    @Test("Collections are named whole, authors in part, formats by extension or media type")
    func filters() {
        #expect(found { $0.collections = ["to read"] } == ["emma.epub"])
        #expect(found { $0.collections = ["to"] } == [])
        #expect(found { $0.authors = ["herbert"] } == ["dune2.epub", "dune10.epub"])
        #expect(found { $0.authors = ["camus", "austen"] } == ["emma.epub", "etranger.pdf"])
        #expect(found { $0.formats = ["PDF"] } == ["etranger.pdf"])
        #expect(found { $0.formats = [".epub"] } == ["emma.epub", "dune2.epub", "dune10.epub"])
        #expect(found { $0.formats = ["application/epub+zip"] } == ["emma.epub"])
        #expect(
            found {
                $0.authors = ["herbert"]
                $0.words = ["messiah"]
            } == ["dune2.epub"])
    }

    @Test("Books are sorted by any field as people count, and those without a value come last both ways")
    func sorting() {
        func sorted(_ field: String, _ isDescending: Bool = false) -> [String] {
            found {
                $0.sortField = field
                $0.isDescending = isDescending
            }
        }
        #expect(sorted("title") == ["dune10.epub", "dune2.epub", "emma.epub", "etranger.pdf"])
        #expect(sorted("title", true) == ["etranger.pdf", "emma.epub", "dune2.epub", "dune10.epub"])
        #expect(sorted("series") == ["dune2.epub", "dune10.epub", "emma.epub", "etranger.pdf"])
        #expect(sorted("size") == ["etranger.pdf", "dune10.epub", "emma.epub", "dune2.epub"])
        #expect(sorted("rating", true) == ["etranger.pdf", "dune2.epub", "emma.epub", "dune10.epub"])
        #expect(sorted("path") == ["dune2.epub", "dune10.epub", "emma.epub", "etranger.pdf"])
    }

    @Test("A limit keeps the first, and what there was besides is counted")
    func limit() {
        var query = BookQuery()
        query.sortField = "title"
        query.limit = 1
        let (places, matching) = query.places(in: books)
        #expect(places.map { books[$0].path } == ["dune10.epub"])
        #expect(matching == 4)
    }

    @Test(
        "The unique beginning of a title or uuid means its book, where that is wanted",
        arguments: [
            ("emm", "emma.epub"), ("l’etr", "etranger.pdf"), ("dune m", "dune2.epub"),
            ("BBBB2", "dune2.epub"), ("urn:uuid:bbbb3", "dune10.epub"),
        ])
    func beginnings(name: String, path: String) throws {
        var index = BookIndex(books)
        #expect(try index.find(name, by: .beginnings).get().path == path)
        #expect(throws: HostError.self) { try index.find(name).get() }
    }

    @Test("A beginning of several books is an error that lists them; of none, and of few letters, not found")
    func ambiguous() {
        var index = BookIndex(books)
        let error = #expect(throws: HostError.self) { try index.find("dune", by: .beginnings).get() }
        #expect(error?.code == .invalidArgument)
        #expect(
            error?.message
                == "2 books have a title or uuid that begins like this: 'Dune Messiah' (dune2.epub); 'Dune House' (dune10.epub)."
        )
        for name in ["bbb", "", "house"] {
            let error = #expect(throws: HostError.self) { try index.find(name, by: .beginnings).get() }
            #expect(error?.code == .notFound)
        }
    }

    @Test("The error for the name of a folder says how to get its books", arguments: ["Guides", "Guides/"])
    func folder(name: String) throws {
        let books = ["Guides/a.epub", "Guides/More/b.epub", "Guidebook.epub"].map { Book(path: $0) }
        var index = BookIndex(try BookList(books), appOption: " --app Kindle")
        let error = #expect(throws: HostError.self) { try index.find(name).get() }
        #expect(error?.code == .notFound)
        #expect(error?.message == "It is a folder with 2 books, and not a book.")
        #expect(
            error?.hint
                == "Use the path of a book. To copy all of them: overlayhost get Guides/ --app Kindle")
        #expect(error?.hintCode == .list)
        #expect(throws: HostError.self) { try index.find("Guide").get() }
    }
}

@Suite("References are found by what only references have")
struct ReferenceQueryTests {
    private let books: BookList

    init() throws {
        let references = [
            (
                "Papers/Notes.pdf", "Notes",
                #"{"cite_key": "Lovelace:1843aa", "type": "article", "library": "Refs.bib", "journal": "Memoirs", "identifiers": {"doi": "10.1000/notes"}, "files": [{"path": "Papers/Notes.pdf", "state": "on_device"}, {"path": "Papers/Appendix.pdf", "state": "can_be_sent"}]}"#
            ),
            ("Refs.bib#twin", "One", #"{"cite_key": "twin", "type": "book"}"#),
            ("More.bib#Twin", "Two", #"{"cite_key": "Twin", "identifiers": {"isbn": "978-3-16"}}"#),
            ("plain.pdf", "Plain", "no JSON"),
        ]
        books = try BookList(references.map { Book(path: $0.0, title: $0.1, extra: $0.2) })
    }

    @Test(
        "A search in one field looks into the values of references",
        arguments: [
            ("doi:10.1000", ["Papers/Notes.pdf"]), ("journal:memoirs", ["Papers/Notes.pdf"]),
            ("type:article", ["Papers/Notes.pdf"]), ("isbn:978", ["More.bib#Twin"]),
            ("key:lovelace", ["Papers/Notes.pdf"]), ("file:appendix", ["Papers/Notes.pdf"]),
            ("title:10.1000", []), ("refs.bib title:notes", ["Papers/Notes.pdf"]), ("on_device", []),
        ] as [(String, [String])])
    func search(text: String, paths: [String]) {
        var query = BookQuery()
        query.search = text
        #expect(query.places(in: books).places.map { books[$0].path } == paths)
    }

    @Test("A reference is meant by its cite key in any case, and by a beginning of it where that is wanted")
    func citeKey() throws {
        var index = BookIndex(books)
        #expect(try index.find("lovelace:1843AA").get().path == "Papers/Notes.pdf")
        #expect(try index.find("Lovelace", by: .beginnings).get().path == "Papers/Notes.pdf")
        #expect(throws: HostError.self) { try index.find("Lovelace").get() }
    }

    @Test("A cite key of several references finds none, and the error lists them")
    func sharedKey() {
        var index = BookIndex(books)
        let shared = #expect(throws: HostError.self) { try index.find("TWIN").get() }
        #expect(shared?.message == "2 books have this cite key: Refs.bib#twin; More.bib#Twin.")
        let unknown = #expect(throws: HostError.self) { try index.find("nothing").get() }
        #expect(unknown?.message == "No book has this path, uuid, title or cite key.")
    }
}
