import OverlayKitTesting
import Claims
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("Leftovers of an interrupted command are removed only when they are certainly not needed")
struct SweepingTests {
    private let shelf = BooksShelf()

    /// Interrupts a command just before it sends files.
    private func breakOff(_ item: UploadItem) throws {
        shelf.host.before = { [unowned shelf] operation, _ in
            if operation == "push" { shelf.host.isCancelled = true }
        }
        #expect(try shelf.upload([item], .replace).error?.status == .cancelled)
        shelf.host.endMethods()
        #expect(shelf.isUnfinished)
    }

    @Test(
        "A deletion that finds no book finishes what was broken off, and says so",
        arguments: [["gone.epub"], []])
    func nothingToDelete(paths: [String]) throws {
        try shelf.place("old.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "remove", path == "/Books/old.epub" { shelf.host.isCancelled = true }
        }
        #expect(try shelf.delete(["old.epub"]).error?.status == .cancelled)
        shelf.host.endMethods()
        #expect(shelf.books == ["old.epub"])
        #expect(try shelf.delete(paths).rows.map(\.status) == paths.map { _ in .notFound })
        #expect(shelf.books.isEmpty)
        #expect(!shelf.isUnfinished)
        #expect(!shelf.host.folders.contains { $0.contains("claim") })
        #expect(shelf.host.warnings.contains { $0.contains("interrupted") })
        #expect(shelf.host.warnings.contains { $0.contains("claim") })
    }

    @Test("Without permission a deletion of nothing touches nothing and is not an error")
    func nothingWithoutPermission() throws {
        shelf.host.switches["ibooks_write"] = false
        #expect(try shelf.delete([]).error == nil)
        #expect(shelf.host.operations.isEmpty)
    }

    @Test("A book that was to be replaced stays while the list that names it is being rewritten")
    func rewritten() throws {
        try shelf.place("old.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        try breakOff(shelf.epub("new", "Emma"))
        let list = shelf.host.files.removeValue(forKey: "/Books/Books.plist")
        #expect(try shelf.delete(["nothing.epub"]).rows.map(\.status) == [.busy])
        #expect(try shelf.upload([shelf.epub("other", "Other")]).rows.map(\.status) == [.busy])
        #expect(shelf.content("old.epub") == "EPUB old")
        #expect(shelf.isUnfinished)
        // The list is back and names the book, so there is nothing left to do.
        shelf.host.files["/Books/Books.plist"] = list
        _ = try shelf.upload([shelf.epub("third", "Third")])
        #expect(shelf.content("old.epub") == "EPUB old")
        #expect(try shelf.titles().contains("Emma"))
        #expect(!shelf.isUnfinished)
    }

    @Test("A book that was to be replaced stays when nothing has taken its place, regardless of the lists")
    func withoutReplacement() throws {
        try shelf.place("old.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        try breakOff(shelf.epub("new", "Emma"))
        try shelf.list("Books.plist", [])
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(shelf.content("old.epub") == "EPUB old")
        #expect(!shelf.isUnfinished)
    }

    @Test("Sent files stay while an existing list is missing, and are removed when it is back")
    func sent() throws {
        try shelf.place("mine.epub", "Mine", "A", id: "ABCDEF0123456789", "EPUB mine")
        let item = shelf.epub("new", "New")
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "rename", path.hasSuffix(" /Books/Books.plist") { shelf.host.isCancelled = true }
        }
        _ = try shelf.upload([item])
        shelf.host.endMethods()
        let sent = shelf.path(item) + ".epub"
        #expect(shelf.books == [sent, "mine.epub"].sorted())
        let list = shelf.host.files.removeValue(forKey: "/Books/Books.plist")
        #expect(try shelf.upload([shelf.epub("other", "Other")]).rows.map(\.status) == [.busy])
        #expect(shelf.books.contains(sent))
        shelf.host.files["/Books/Books.plist"] = list
        _ = try shelf.upload([shelf.epub("third", "Third")])
        #expect(!shelf.books.contains(sent))
        #expect(!shelf.isUnfinished)
    }

    @Test("A list that goes while books are sent ends the upload; neither a list nor a book is lost")
    func vanishingList() throws {
        try shelf.place("old.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        var list: [UInt8]?
        shelf.host.before = { [unowned shelf] operation, _ in
            guard operation == "push" else { return }
            list = shelf.host.files.removeValue(forKey: "/Books/Books.plist")?.bytes
        }
        let (rows, error) = try shelf.upload([shelf.epub("new", "Emma")], .replace)
        #expect(error?.status == .busy)
        #expect(error?.retryable == true)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(shelf.host.files["/Books/Books.plist"] == nil)
        #expect(shelf.content("old.epub") == "EPUB old")
        shelf.host.before = { _, _ in }
        shelf.host.files["/Books/Books.plist"] = .init(bytes: try #require(list), modified: 1, created: 1)
        #expect(try shelf.upload([shelf.epub("new", "Emma")], .replace).rows.map(\.outcome) == [.replaced])
        #expect(shelf.content("old.epub") == nil)
        #expect(!shelf.isUnfinished)
    }

    @Test("A file of another program is taken over, but never removed")
    func somebodysFile() throws {
        let item = shelf.epub("one", "One")
        shelf.put("mine.epub", "EPUB\nTitle: One\none")
        shelf.host.before = { [unowned shelf] operation, path in
            if operation == "rename", path.hasSuffix(" /Books/Books.plist") { shelf.host.isCancelled = true }
        }
        #expect(try shelf.upload([item]).error?.status == .cancelled)
        shelf.host.endMethods()
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(shelf.books.contains("mine.epub"))
        #expect(try shelf.upload([item]).rows.map(\.path) == ["mine.epub"])
    }

    @Test(
        "A book in its own folder is replaced by one beside the others, where the list can see it, and goes"
    )
    func deep() throws {
        shelf.host.folders.insert("/Books/Deep")
        try shelf.place("Deep/old.epub", "Emma", "A", id: "ABCDEF0123456789", "EPUB old")
        shelf.host.fault = { operation, path in
            operation == "remove" && path == "/Books/Deep/old.epub" ? .deviceIO : nil
        }
        shelf.put("Deep/ABCDEF0123456789.epub", "EPUB of somebody else")
        let (rows, _) = try shelf.upload([shelf.epub("new", "Emma")], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows.map(\.path) == ["ABCDEF0123456789.epub"])
        #expect(shelf.books.contains("Deep/old.epub"))
        shelf.host.fault = { _, _ in nil }
        _ = try shelf.upload([shelf.epub("new", "Emma")])
        #expect(!shelf.books.contains("Deep/old.epub"))
        #expect(shelf.content("Deep/ABCDEF0123456789.epub") == "EPUB of somebody else")
        #expect(!shelf.isUnfinished)
    }

    @Test("A file that is not what was sent is not listed, and goes with the next command")
    func spoiled() throws {
        let items = [shelf.epub("one", "One"), shelf.epub("two", "Two")]
        let first = shelf.path(items[0]) + ".epub"
        shelf.host.before = { [unowned shelf] operation, path in
            guard operation == "push", path.contains(shelf.path(items[1])) else { return }
            shelf.put(first, "EPUB half")
        }
        #expect(try shelf.upload(items).rows.map(\.status) == [.verificationFailed, .ok])
        shelf.host.before = { _, _ in }
        #expect(shelf.books.contains(first))
        _ = try shelf.upload([shelf.epub("other", "Other")])
        #expect(!shelf.books.contains(first))
        #expect(!shelf.isUnfinished)
    }

    @Test("Notes come back as they were written", arguments: ["new", "deleted", "replaced"])
    func notes(kind: String) throws {
        let (old, new) = (try #require(SafePath("old.epub")), try #require(SafePath("new.epub")))
        let kinds: [String: UnfinishedFile.Kind] = [
            "new": .new, "deleted": .deleted, "replaced": .replaced(by: new),
        ]
        let file = UnfinishedFile(
            old, try #require(kinds[kind]), persistentID: "AA", lists: [.synchronised, .managed])
        let bytes = try file.propertyList.encoded(.binary)
        #expect(UnfinishedFile(try PropertyList(parsing: bytes)) == file)
        #expect(UnfinishedFile(["path": "old.epub", "kind": "replaced", "lists": []]) == nil)
        #expect(UnfinishedFile(["path": "../old.epub", "kind": "new", "lists": []]) == nil)
    }
}
