import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("A change of several lists that is cut off at any request is finished or undone by the next command")
struct InterruptedListsTests {
    private static let id = "ABCDEF0123456789"
    private static let lists = ["Sync/Books.plist", "Books.plist", "Purchases/Purchases.plist"]

    /// The command after the interrupted one.
    enum Next: String, CaseIterable { case books, upload, delete, get }

    /// A library in which each of two books is in several lists.
    private func shelf() throws -> BooksShelf {
        let shelf = BooksShelf()
        shelf.put("old.epub", "EPUB old")
        shelf.put("other.epub", "EPUB other")
        func entry(_ path: String, _ title: String, _ id: String) -> PropertyList {
            ["Path": .string(path), "Name": .string(title), "Artist": "A", "Persistent ID": .string(id)]
        }
        for list in Self.lists {
            try shelf.list(
                list, [entry("old.epub", "Emma", Self.id), entry("other.epub", "Other", "1111111111111111")])
        }
        return shelf
    }

    private func run(_ next: Next, on shelf: BooksShelf) throws {
        switch next {
        case .books: _ = try shelf.titles()
        case .upload:
            #expect(try shelf.upload([shelf.epub("third", "Third")]).rows.map(\.outcome) == [.added])
        case .delete: #expect(try shelf.delete(["gone.epub"]).rows.map(\.status) == [.notFound])
        case .get: try shelf.overlay().getFile("other.epub") { _, _, _ in }
        }
    }

    /// Deletes a book. The connection is lost when the second list is replaced.
    private func deleteInterrupted(_ shelf: BooksShelf) throws {
        let isInterrupted = try shelf.interrupt(
            .request, at: { $0 == "rename" && $1.hasSuffix(".new /Books/Books.plist") }
        ) {
            _ = try shelf.delete(["old.epub"])
        }
        #expect(isInterrupted)
    }

    /// Checks that each book is there once: all lists name the same file of it, and nothing else is there.
    ///
    /// - Returns: the file of the book that the interrupted command was about; nil if no list names it.
    private func requireOnce(
        _ shelf: BooksShelf, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String? {
        let titles = try shelf.titles()
        #expect(Set(titles).count == titles.count, comment, sourceLocation: sourceLocation)
        #expect(titles.contains("Other"), comment, sourceLocation: sourceLocation)
        var paths: Set<String?> = []
        for list in Self.lists {
            let own = try shelf.entries(list).compactMap { BookEntry($0) }
                .filter { $0.persistentID == Self.id }.map { $0.path?.text }
            #expect(own.count <= 1, comment, sourceLocation: sourceLocation)
            paths.insert(own.first ?? nil)
        }
        #expect(paths.count == 1, comment, sourceLocation: sourceLocation)
        let path = paths.first ?? nil
        #expect(titles.contains("Emma") == (path != nil), comment, sourceLocation: sourceLocation)
        let others = shelf.books.filter { shelf.content($0)?.contains("third") == true } + ["other.epub"]
        #expect(
            shelf.books == (others + [path].compactMap { $0 }).sorted(), comment,
            sourceLocation: sourceLocation)
        #expect(!shelf.isUnfinished, comment, sourceLocation: sourceLocation)
        #expect(
            !shelf.host.files.keys.contains { $0.hasSuffix(".overlayhost.new") }, comment,
            sourceLocation: sourceLocation)
        return path
    }

    @Test(
        "A replacement that is cut off leaves the book listed once", arguments: Interruption.allCases,
        Next.allCases)
    func replacement(cut: Interruption, next: Next) throws {
        for place in 1... {
            let shelf = try shelf()
            let item = shelf.epub("new", "Emma")
            let wasCut = try shelf.interrupt(at: place, cut) { _ = try shelf.upload([item], .replace) }
            try run(next, on: shelf)
            let path = try requireOnce(shelf, "request \(place), then \(next.rawValue)")
            #expect(path != nil)
            let (rows, error) = try shelf.upload([item], .replace)
            #expect(error == nil)
            let again = try requireOnce(shelf, "the same upload after request \(place)")
            #expect(rows.map(\.status) == [.ok])
            #expect(rows.map(\.path) == [again], "request \(place)")
            #expect(again.flatMap(shelf.content)?.contains("new") == true, "request \(place)")
            guard wasCut else {
                // Enough requests for a copy, a new list, a check and a rename of each list.
                #expect(place > 12)
                return
            }
        }
    }

    @Test("A deletion that is cut off is finished or undone", arguments: Interruption.allCases, Next.allCases)
    func deletion(cut: Interruption, next: Next) throws {
        for place in 1... {
            let shelf = try shelf()
            let wasCut = try shelf.interrupt(at: place, cut) { _ = try shelf.delete(["old.epub"]) }
            try run(next, on: shelf)
            let path = try requireOnce(shelf, "request \(place), then \(next.rawValue)")
            let (rows, error) = try shelf.delete(["old.epub"])
            #expect(error == nil)
            #expect(rows.map(\.status) == [path == nil ? .notFound : .ok], "request \(place)")
            #expect(try requireOnce(shelf, "the same deletion after request \(place)") == nil)
            guard wasCut else {
                #expect(place > 12)
                return
            }
        }
    }

    @Test("Where writing is not allowed any more, the entries of one persistent id are listed as one book")
    func merged() throws {
        let shelf = try shelf()
        shelf.put("new.epub", "EPUB new")
        try shelf.list(
            "Sync/Books.plist",
            [["Path": "new.epub", "Name": "Emma", "Artist": "A", "Persistent ID": .string(Self.id)]])
        shelf.host.switches["ibooks_write"] = false
        #expect(try shelf.titles() == ["Emma", "Other"])
        shelf.host.switches["ibooks_write"] = true
        #expect(try shelf.delete(["new.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(shelf.books == ["other.epub"])
        #expect(try shelf.titles() == ["Other"])
    }

    @Test("Entries of one persistent id without titles are two books, and a deletion removes one file")
    func untitled() throws {
        let shelf = BooksShelf()
        for (list, path) in [("Sync/Books.plist", "one.epub"), ("Books.plist", "two.epub")] {
            shelf.put(path, "EPUB " + path)
            try shelf.list(list, [["Path": .string(path), "Persistent ID": .string(Self.id)]])
        }
        #expect(try shelf.delete(["one.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(shelf.books == ["two.epub"])
    }

    @Test("While a list is missing, an interrupted change stays noted: commands read, and none writes")
    func missing() throws {
        let shelf = try shelf()
        let host = shelf.host
        try deleteInterrupted(shelf)
        let list = try #require(host.files["/Books/Books.plist"])
        host.files["/Books/Books.plist"] = nil
        let new = try #require(host.files["/Books/Books.plist" + ListJournal.newMark]?.bytes)
        let files = shelf.books
        let (rows, error) = try shelf.delete(["other.epub"])
        #expect(rows.map(\.status) == [.busy])
        #expect(error?.status == .busy && error?.retryable == true && error?.hint != nil)
        #expect(error?.subject == "/Books/Books.plist")
        #expect(try shelf.upload([shelf.epub("third", "Third")]).rows.map(\.status) == [.busy])
        #expect(try shelf.titles().contains("Other"))
        #expect(shelf.books == files)
        #expect(host.files["/Books/Books.plist" + ListJournal.newMark]?.bytes == new)
        #expect(shelf.isUnfinished)
        host.files["/Books/Books.plist"] = list
        #expect(try shelf.titles() == ["Other"])
        #expect(try requireOnce(shelf, "the list is there again") == nil)
    }

    @Test("A list that Books has written since stays, and the change is given up")
    func changedSince() throws {
        let shelf = try shelf()
        let host = shelf.host
        try deleteInterrupted(shelf)
        try shelf.list("Books.plist", try shelf.entries("Books.plist").reversed())
        let bytes = host.files["/Books/Books.plist"]?.bytes
        #expect(try shelf.titles().sorted() == ["Emma", "Other"])
        #expect(host.files["/Books/Books.plist"]?.bytes == bytes)
        #expect(host.warnings.contains { $0.contains("/Books/Books.plist") })
        #expect(try shelf.delete(["old.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(try shelf.titles() == ["Other"])
    }
}
