import PropertyLists
import OverlayKitTesting
import BookFolders
import OverlayKit
import Testing
import UploadPlanning

@testable import iBooks

@Suite("Editions of a book have the same result in one upload to Books as in two, and rows give advice")
struct EditionTests {
    private let shelf = BooksShelf()

    @Test("The later edition is not sent to Books if existing books are protected")
    func protected() throws {
        let (rows, _) = try shelf.upload([
            shelf.epub("one", "Emma", "Jane Austen"), shelf.epub("two", "emma", "Jane Austen"),
        ])
        #expect(rows.map(\.outcome) == [.added, .skipped])
        #expect(rows[1].message == DuplicateMessages.earlier)
        let (again, _) = try shelf.upload([shelf.epub("two", "emma", "Jane Austen")])
        #expect(
            again.map(\.message) == [
                "The book is already in Books, with different content. Use --on-conflict replace to replace it."
            ])
        let (same, _) = try shelf.upload([shelf.epub("one", "Emma", "Jane Austen")])
        #expect(same.map(\.message) == ["The book is already in Books."])
        #expect(shelf.books.count == 1)
    }

    @Test(
        "The last edition is in Books if existing books are replaced, and it is sent once",
        arguments: [false, true])
    func replaced(isThere: Bool) throws {
        if isThere { try shelf.place("Emma.epub", "Emma", "Jane Austen", id: "ABCDEF0123456789", "EPUB old") }
        let (rows, _) = try shelf.upload(
            ["one", "two", "three"].map { shelf.epub($0, "Emma", "Jane Austen") }, .replace)
        #expect(rows.map(\.outcome) == [.skipped, .skipped, isThere ? .replaced : .added])
        #expect(rows[0].message == DuplicateMessages.later)
        #expect(shelf.host.operations.filter { $0.hasPrefix("push") }.count == 1)
        #expect(shelf.books.count == 1)
        #expect(shelf.content(try #require(shelf.books.first))?.hasSuffix("three") == true)
        #expect(try shelf.titles() == ["Emma"])
    }

    @Test(
        "After a book, another edition and the same book again, Books has the book", arguments: [false, true])
    func thereAndBack(isThere: Bool) throws {
        if isThere { try shelf.place("Emma.epub", "Emma", "Jane Austen", id: "ABCDEF0123456789", "EPUB old") }
        let (rows, _) = try shelf.upload(
            ["one", "two", "one"].map { shelf.epub($0, "Emma", "Jane Austen") }, .replace)
        #expect(rows.map(\.outcome) == [.skipped, .skipped, isThere ? .replaced : .added])
        #expect(shelf.books.count == 1)
        #expect(shelf.content(try #require(shelf.books.first))?.hasSuffix("one") == true)
        #expect(try shelf.titles() == ["Emma"])
        // The file has its own id, so it is recognised.
        let (again, _) = try shelf.upload([shelf.epub("one", "Emma", "Jane Austen")])
        #expect(again.map(\.message) == ["The book is already in Books."])
    }

    @Test("Rows say that Books keeps collections to itself, even if the book is left alone")
    func collections() throws {
        let items = [shelf.epub("one", "Emma"), shelf.epub("one", "Emma")]
        for outcome in [Outcome.added, .skipped] {
            var row: ItemResult?
            try shelf.overlay().uploadBooks([items[0]], options: UploadOptions(collections: ["X"])) {
                row = $0
            }
            #expect(row?.outcome == outcome)
            #expect(row?.message?.hasSuffix(DuplicateMessages.noCollections("Books")) == true)
        }
    }

    @Test("Two different books of one uuid both arrive, and the row of the second one says so")
    func sharedUUID() throws {
        var (one, two) = (shelf.epub("one", "Emma", "Jane Austen"), shelf.epub("two", "Faust", "Goethe"))
        one.book.uuid = "5a7c1b2e-0000-4000-8000-000000000001"
        two.book.uuid = one.book.uuid
        let (rows, _) = try shelf.upload([one, two])
        #expect(rows.map(\.outcome) == [.added, .added])
        #expect(rows.map(\.message) == [nil, DuplicateMessages.sharedUUID])
        #expect(Set(try shelf.titles()) == ["Emma", "Faust"])
    }

    @Test("Two different books of one author and uuid are replaced each by its own next edition")
    func templates() throws {
        func book(_ name: String, _ title: String) -> UploadItem {
            var item = shelf.epub(name, title, "Jane Austen")
            item.book.uuid = "5a7c1b2e-0000-4000-8000-000000000001"
            return item
        }
        #expect(try shelf.upload([book("one", "Emma"), book("two", "Persuasion")]).rows.count == 2)
        for next in [book("three", "Persuasion"), book("four", "Emma")] {
            #expect(try shelf.upload([next], .replace).rows.map(\.outcome) == [.replaced])
            #expect(Set(try shelf.titles()) == ["Emma", "Persuasion"])
        }
        let other = try shelf.upload([book("five", "Sanditon")], .replace)
        #expect(other.rows.map(\.message) == [DuplicateMessages.sharedUUID])
        #expect(Set(try shelf.titles()) == ["Emma", "Persuasion", "Sanditon"])
    }

    @Test("Two uuids that begin alike are two books")
    func numbered() throws {
        var (one, two) = (
            shelf.epub("one", "Emma", "Jane Austen"), shelf.epub("two", "Persuasion", "Jane Austen")
        )
        one.book.uuid = "5a7c1b2e-0000-4000-8000-000000000001"
        two.book.uuid = "5a7c1b2e-0000-4000-8000-000000000002"
        for item in [one, two] {
            #expect(try shelf.upload([item], .replace).rows.map(\.outcome) == [.added])
        }
        #expect(Set(try shelf.titles()) == ["Emma", "Persuasion"])
    }

    @Test("A book without authors is added beside one of its title, and its row says so")
    func titleAlone() throws {
        try shelf.place("Emma.epub", "Emma", "Jane Austen", id: "ABCDEF0123456789", "EPUB old")
        var item = shelf.epub("one", "Emma")
        item.book.authors = nil
        let (rows, _) = try shelf.upload([item], .replace)
        #expect(rows.map(\.outcome) == [.added])
        #expect(rows[0].message == DuplicateMessages.sameTitle(with: nil))
    }

    @Test(
        "A book that cannot be looked into fails an item that may be the same, and is looked into once more")
    func unread() throws {
        try shelf.list("Books.plist", [["Path": "There.epub"]])
        shelf.put("There.epub", "EPUB old")
        for (count, status) in [(3, OverlayStatus.deviceIO), (2, .ok)] {
            var left = count
            shelf.host.fault = { operation, _ in
                guard operation == "metadata", left > 0 else { return nil }
                left -= 1
                return .deviceIO
            }
            let (rows, _) = try shelf.upload([shelf.epub("one", "Emma", "Jane Austen")])
            #expect(rows.map(\.status) == [status])
        }
    }

    @Test("A book that cannot be read only blocks uploads with the same title")
    func unreadOther() throws {
        try shelf.list("Books.plist", [["Path": "There.epub", "Name": "EMMA"]])
        shelf.put("There.epub", "EPUB old")
        shelf.host.fault = { operation, _ in operation == "metadata" ? .deviceIO : nil }
        let items = [shelf.epub("one", "Faust", "Goethe"), shelf.epub("two", "Emma", "Jane Austen")]
        #expect(try shelf.upload(items).rows.map(\.status) == [.ok, .deviceIO])
        #expect(try shelf.titles().sorted() == ["EMMA", "Faust"])
        shelf.host.fault = { _, _ in nil }
        #expect(try shelf.upload([items[1]]).rows.map(\.status) == [.ok])
    }

    @Test("The log names for each book the rule that decided")
    func explained() throws {
        let item = shelf.epub("one", "Emma", "Jane Austen")
        for item in [item, item, shelf.epub("two", "Emma", "Jane Austen")] { _ = try shelf.upload([item]) }
        #expect(
            shelf.host.log.filter { $0.contains("in Books") } == [
                "one.epub: not in Books; no book has its uuid, its content, or its title and authors.",
                "one.epub: in Books, because it has the same content.",
                "two.epub: in Books, because it has the same title and authors.",
            ])
    }
}
