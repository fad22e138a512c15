import OverlayKitTesting
import OverlayKit
import Testing

@testable import BookFolders

@Suite("A shelf lists its books from a few kilobytes of each, once")
struct ListingTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test("A book is shown with what it says of itself, its folder and its size")
    func fields() throws {
        host.put(
            "Novels/English/emma-final.epub", bookText("Emma", ["Jane Austen"]),
            created: 1_500_000_000_123_456_789)
        host.put("notes.txt", "no publication")
        let books = try bench.books()
        #expect(books.count == 1)
        let book = try #require(books.first)
        #expect(book.path == "Novels/English/emma-final.epub")
        #expect(book.title == "Emma")
        #expect(book.authors == ["Jane Austen"])
        #expect(book.collections == ["Novels/English"])
        #expect(book.format == "application/epub+zip")
        #expect(book.size == UInt64(bookText("Emma", ["Jane Austen"]).utf8.count))
        #expect(book.dateAdded == 1_500_000_000)
    }

    @Test("Books are listed by path as people sort names; case and accents decide only between equal ones")
    func order() throws {
        for path in [
            "Zebra.epub", "apple.epub", "B/x.epub", "b/x.epub", "Éclair.epub", "a.epub", "10.pdf", "9.pdf",
        ] {
            host.put(path, bookText("T"))
        }
        #expect(
            try bench.books().map(\.path) == [
                "9.pdf", "10.pdf", "a.epub", "apple.epub", "B/x.epub", "b/x.epub", "Éclair.epub",
                "Zebra.epub",
            ])
    }

    /// Weakness 23 in docs/weaknesses.md.
    @Test("No file is downloaded for its metadata, and a broken one is not read again")
    func ranged() throws {
        for index in 0..<40 { host.put("\(index).pdf", bookText("Book \(index)")) }
        host.put("broken.pdf", "BROKEN" + String(repeating: "x", count: 20_000))
        let all = host.files.values.reduce(0) { $0 + $1.bytes.count }
        #expect(try bench.books().count == 41)
        #expect(host.bytesRead < all / 3)
        host.resetCounts()
        let books = try bench.books()
        #expect(books.count == 41)
        #expect(books.last?.title == "broken")
        #expect(host.bytesRead == 0)
        #expect(host.calls == 2)
    }

    /// Weakness 26 in docs/weaknesses.md.
    @Test("A file that changed in any way is read again, and unchanged files are not")
    func validated() throws {
        host.put("a.pdf", bookText("Old"))
        host.put("b.pdf", bookText("Other"))
        _ = try bench.books()
        host.put("a.pdf", bookText("New"))
        host.resetCounts()
        #expect(try bench.books().map(\.title) == ["New", "Other"])
        #expect(host.operations.filter { $0.hasPrefix("metadata") } == ["metadata /Documents/a.pdf"])
    }

    @Test("A moved file is recognised by its content, and what is known of it goes along")
    func moved() throws {
        host.put("a.pdf", bookText("Title of A"))
        _ = try bench.books()
        host.move("a.pdf", to: "X/Y/other name.pdf")
        host.resetCounts()
        let books = try bench.books()
        #expect(books.map(\.path) == ["X/Y/other name.pdf"])
        #expect(books.map(\.title) == ["Title of A"])
        #expect(!host.operations.contains { $0.hasPrefix("metadata") })
    }

    @Test("A file of the same content but another time is read for itself")
    func copied() throws {
        host.put("a.pdf", bookText("Title of A"))
        _ = try bench.books()
        host.put("b.pdf", bookText("Title of A"))
        host.resetCounts()
        #expect(try bench.books().map(\.title) == ["Title of A", "Title of A"])
        #expect(host.operations.filter { $0.hasPrefix("metadata") } == ["metadata /Documents/b.pdf"])
    }

    /// Weakness 14 in docs/weaknesses.md.
    @Test("Two files with the same name are two books, and a matching name alone does not count as a move")
    func sameNames() throws {
        host.put("A/book.pdf", bookText("First"))
        _ = try bench.books()
        host.put("B/book.pdf", bookText("Second"))
        #expect(try bench.books().map(\.title) == ["First", "Second"])
        host.files["/Documents/A/book.pdf"] = nil
        host.put("C/book.pdf", bookText("Third"))
        #expect(try bench.books().map(\.title) == ["Second", "Third"])
    }

    @Test("A file without a telling name is looked into once, and listed if it is a book")
    func unknownNames() throws {
        host.put("download", "%PDF-1.4\nTitle: Found\n")
        host.put("data.xyz", "EPUB\nTitle: Also\n")
        host.put("state.blob", "nothing")
        host.put("library.sqlite", "%PDF never looked at")
        let books = try bench.books()
        #expect(books.map(\.path) == ["data.xyz", "download"])
        #expect(books.map(\.title) == ["Also", "Found"])
        #expect(books.map(\.format) == ["application/epub+zip", "application/pdf"])
        host.resetCounts()
        #expect(try bench.books().count == 2)
        #expect(host.bytesRead == 0)
        #expect(!host.operations.contains { $0.hasPrefix("metadata") })
        host.put("broken", "%PDF but no more")
        host.fault = { operation, path in
            operation == "metadata" && path.hasSuffix("/broken") ? .damaged : nil
        }
        for _ in 0..<2 { #expect(try bench.books().map(\.path) == ["broken", "data.xyz", "download"]) }
        #expect(host.operations.filter { $0.hasPrefix("metadata") }.count == 1)
        bench.options.looksIntoUnknownFiles = false
        #expect(try bench.books().isEmpty)
    }

    @Test("Covers are read on request, and the second time from the host")
    func covers() throws {
        host.put("a.pdf", bookText("A", cover: "picture of A"))
        host.put("b.pdf", bookText("B"))
        #expect(try bench.books().map(\.coverData) == [nil, nil])
        let books = try bench.books(covers: true)
        #expect(books[0].coverData == Array("picture of A".utf8))
        #expect(books[0].coverMediaType == "image/jpeg")
        #expect(books[1].coverData == nil)
        host.resetCounts()
        #expect(try bench.books(covers: true) == books)
        #expect(host.bytesRead == 0)
        host.files["/Documents/a.pdf"] = nil
        _ = try bench.books()
        #expect(!host.stored.keys.contains { $0.contains("cover-") })
    }

    @Test("A damaged or foreign cache is rebuilt")
    func damagedCache() throws {
        host.put("a.pdf", bookText("A"))
        let first = try bench.books()
        let key = try #require(host.stored.keys.first { $0.hasSuffix("books.json") })
        for bytes in [[], Array("{".utf8), Array("[]".utf8), Array(#"{"version": 99, "files": []}"#.utf8)] {
            host.stored[key] = bytes
            #expect(try bench.books() == first)
            host.resetCounts()
            #expect(try bench.books() == first)
            #expect(host.bytesRead == 0)
        }
    }

    @Test("A host without storage, and a user who disables it, get the same list")
    func withoutStorage() throws {
        host.put("a.pdf", bookText("A"))
        let kept = try bench.books()
        host.hasStorage = false
        #expect(try bench.books() == kept)
        host.hasStorage = true
        host.stored = [:]
        bench.options.keepsMetadata = false
        #expect(try bench.books() == kept)
        #expect(host.stored.isEmpty)
    }

    @Test("Values that were read before a cancel are kept")
    func cancelled() throws {
        for index in 0..<200 { host.put("\(index).pdf", bookText("Book \(index)")) }
        var count = 0
        host.before = { [unowned host] operation, _ in
            if operation == "metadata" { count += 1 }
            if count == 100 { host.isCancelled = true }
        }
        let error = #expect(throws: OverlayError.self) { try bench.books() }
        #expect(error?.status == .cancelled)
        host.isCancelled = false
        host.before = { _, _ in }
        host.resetCounts()
        #expect(try bench.books().count == 200)
        #expect(host.operations.filter { $0.hasPrefix("metadata") }.count == 136)
    }

    @Test("Values in an app's own cache are used for a file of the same size")
    func known() throws {
        host.put("a.pdf", bookText("A"))
        host.put("b.pdf", bookText("B"))
        let size = UInt64(bookText("A").utf8.count)
        let known = Book(
            title: "size", authors: ["title"], coverMediaType: "image/jpeg", coverData: [0xFF, 0xD8])
        let files = [
            try #require(ShelfPath("a.pdf")): ShelfOptions.KnownBook(size: size, book: known),
            try #require(ShelfPath("b.pdf")): ShelfOptions.KnownBook(size: size + 1, book: known),
        ]
        bench.options.known = { () throws(OverlayError) in files }
        let books = try bench.books(covers: true)
        #expect(books.map(\.title) == ["size", "B"])
        #expect(books.map(\.coverData) == [[0xFF, 0xD8], nil])
        #expect(host.operations.filter { $0.hasPrefix("metadata") } == ["metadata /Documents/b.pdf"])
    }

    @Test("A thousand books are listed with one call for each folder")
    func many() throws {
        for index in 0..<1000 { host.put("\(index % 7)/\(index).pdf", bookText("Book \(index)")) }
        let books = try bench.books()
        #expect(books.count == 1000)
        #expect(Set(books.compactMap(\.path)).count == 1000)
        host.resetCounts()
        #expect(try bench.books().count == 1000)
        #expect(host.calls == 10)
    }
}
