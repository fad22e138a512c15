import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("A deletion removes exactly the lists' entries about the book")
struct StrikingTests {
    private let shelf = BooksShelf()

    private func entry(_ path: String?, _ name: String, _ id: String? = nil) -> PropertyList {
        var values: [String: PropertyList] = ["Name": .string(name)]
        values["Path"] = path.map { .string($0) }
        values["Persistent ID"] = id.map { .string($0) }
        return .dictionary(values)
    }

    private func names(_ list: String) throws -> [String] {
        try shelf.entries(list).compactMap { $0["Name"]?.string }
    }

    @Test("An entry of a merged list is removed, although it names a purchase as if it were beside the rest")
    func merged() throws {
        shelf.put("Purchases/Bought.epub", "EPUB b")
        try shelf.list("Books.plist", [entry("Bought.epub", "Merged"), entry("Other.epub", "Other")])
        try shelf.list("Purchases/Purchases.plist", [entry("Bought.epub", "Bought")])
        shelf.put("Other.epub", "EPUB o")
        let (rows, _) = try shelf.delete(["Purchases/Bought.epub"])
        #expect(rows.map(\.outcome) == [.deleted])
        #expect(try names("Books.plist") == ["Other"])
        #expect(try names("Purchases/Purchases.plist") == [])
        #expect(shelf.books == ["Other.epub"])
    }

    @Test("An entry about another file with the same id stays, and so does its cover")
    func sharedID() throws {
        shelf.put("a.epub", "EPUB a")
        shelf.put("Purchases/b.epub", "EPUB b")
        shelf.put("Sync/Artwork/AAAA", "cover")
        try shelf.list("Books.plist", [entry("a.epub", "A", "AAAA")])
        try shelf.list("Purchases/Purchases.plist", [entry("b.epub", "B", "AAAA")])
        let (rows, _) = try shelf.delete(["a.epub"])
        #expect(rows.map(\.outcome) == [.deleted])
        #expect(try names("Purchases/Purchases.plist") == ["B"])
        #expect(shelf.books == ["Purchases/b.epub", "Sync/Artwork/AAAA"])
    }

    @Test("An entry that requests the same book at a place where it is not is removed as well")
    func asked() throws {
        shelf.put("a.epub", "EPUB a")
        shelf.put("Sync/Artwork/AAAA", "cover")
        try shelf.list(
            "Sync/Books.plist", [entry("later.epub", "A later", "aaaa"), entry(nil, "Cloud", "CCCC")])
        try shelf.list("Books.plist", [entry("a.epub", "A", "AAAA")])
        #expect(try shelf.delete(["a.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(try names("Sync/Books.plist") == ["Cloud"])
        #expect(try names("Books.plist") == [])
        #expect(shelf.books.isEmpty)
    }

    @Test(
        "A deletion that is broken off after the lists have changed is finished by the same command, cover and all"
    )
    func brokenOff() throws {
        shelf.put("a.epub", "EPUB a")
        shelf.put("Sync/Artwork/AAAA", "cover")
        try shelf.list("Books.plist", [entry("a.epub", "A", "AAAA")])
        shelf.host.fault = { operation, path in
            operation == "remove" && path == "/Books/a.epub" ? .deviceGone : nil
        }
        let (first, error) = try shelf.delete(["a.epub"])
        #expect(error?.status == .deviceGone)
        #expect(first.map(\.outcome) == [.failed])
        #expect(try names("Books.plist") == [])
        shelf.host.fault = { _, _ in nil }
        #expect(try shelf.delete(["a.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(shelf.books.isEmpty)
    }

    @Test(
        "A list that changes meanwhile ends the deletion before anything is gone",
        arguments: ["write", "rename"])
    func changedMeanwhile(moment: String) throws {
        shelf.put("a.epub", "EPUB a")
        try shelf.list("Books.plist", [entry("a.epub", "A", "AAAA")])
        shelf.host.before = { [unowned shelf] operation, path in
            guard operation == moment, path.contains("Books.plist.overlayhost") else { return }
            do {
                try shelf.list("Books.plist", [self.entry("a.epub", "A"), self.entry("b.epub", "B")])
            } catch {
                Issue.record(error)
            }
        }
        let (rows, error) = try shelf.delete(["a.epub"])
        #expect(error?.status == .busy)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(try names("Books.plist") == ["A", "B"])
        #expect(shelf.books == ["a.epub"])
        #expect(shelf.copies("Books.plist").isEmpty)
        #expect(!shelf.host.files.keys.contains { $0.hasSuffix(".new") })
    }
}
