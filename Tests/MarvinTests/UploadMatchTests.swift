import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing
import UploadPlanning

@testable import Marvin

@Suite("An existing book is found, and its row says how")
struct UploadMatchTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    @Test("The uuid decides first, then the content, then title and authors, and the log says which")
    func order() throws {
        let bytes = ZipFixture.epub("the very same")
        try marvin.add("by-uuid.epub", uuid: "U-1", title: "x")
        try marvin.add("by-content.epub", uuid: "o", title: "y")
        try Data(bytes).write(to: host.url("Documents/by-content.epub"))
        try marvin.add("by-name.epub", uuid: "p", title: "The  Title", author: "Ann Author, Bo Writer")
        var same = try host.item("u-2", bytes, name: "second.epub")
        same.book.title = "The Title"
        let named = try item("u-3") {
            $0.title = "the title"
            $0.authors = ["Ann Author", "Bo Writer"]
        }
        let rows = try upload([item("u-1"), same, named, item("u-4")], .protect)
        #expect(rows.map(\.path) == ["by-uuid.epub", "by-content.epub", "by-name.epub", "u-4.epub"])
        #expect(rows.map(\.outcome) == [.skipped, .skipped, .skipped, .added])
        #expect(host.log.contains { $0.contains("u-1.epub") && $0.contains("the same uuid") })
        #expect(host.log.contains { $0.contains("second.epub") && $0.contains("the same content") })
        #expect(host.log.contains { $0.contains("u-3.epub") && $0.contains("the same title and authors") })
        #expect(host.log.contains { $0.contains("u-4.epub") && $0.contains("no book has its uuid") })
    }

    @Test("Only the book of the same uuid is compared among many of one size, under any name")
    func manyOfOneSize() throws {
        let bytes = ZipFixture.epub("10")
        for number in 10...30 {
            try marvin.add(
                "\(number).epub", uuid: "n-\(number)", title: "Title in file \(number)", author: "X")
            try Data(ZipFixture.epub("\(number)")).write(to: host.url("Documents/\(number).epub"))
        }
        try marvin.add("zz.epub", uuid: "u-1", title: "Title in the file", author: "X")
        let same = ZipFixture.epub("zz")
        try #require(same.count == bytes.count)
        try Data(same).write(to: host.url("Documents/zz.epub"))
        var item = try host.item("u-1", same)
        (item.book.title, item.book.authors) = ("What the library says", ["Ann"])
        let row = try upload([item], .protect)[0]
        #expect(row.outcome == .skipped && row.path == "zz.epub")
    }

    @Test("A file of the same size with other content is another book") func sameSize() throws {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try #require(one.count == two.count)
        try marvin.add("there.epub", uuid: "o", title: "")
        try Data(one).write(to: host.url("Documents/there.epub"))
        #expect(try upload([host.item("u-1", two)], .protect).map(\.outcome) == [.added])
    }

    @Test("The row says so when a book with the same title and authors has other content of the same size")
    func otherContentOfSameSize() throws {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann")
        try Data(one).write(to: host.url("Documents/there.epub"))
        var item = try host.item("u-1", two)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message?.contains("with different content") == true)
    }

    @Test("The row names no other content when the file has become equal since sizes were kept")
    func contentBecameEqual() throws {
        let bytes = ZipFixture.epub("the very same")
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann", content: "old")
        try host.overlay().books(BooksOptions()) { _ in }
        try Data(bytes).write(to: host.url("Documents/there.epub"))
        var item = try host.item("u-1", bytes)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message == "The book is already in Marvin's library.")
        #expect(host.log.contains { $0.contains("the same title and authors") })
    }

    @Test("The row says nothing about the content of a file of the same size that cannot be read")
    func unreadableContent() throws {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann")
        try Data(one).write(to: host.url("Documents/there.epub"))
        host.fault = { operation, path in
            operation.hasPrefix("read") && path.hasSuffix("there.epub") ? .deviceIO : nil
        }
        var item = try host.item("u-1", two)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message == "The book is already in Marvin's library.")
    }

    @Test("Punctuation distinguishes titles, and a book without authors matches no other")
    func punctuation() throws {
        try marvin.add("c.epub", uuid: "o", title: "C++ Primer")
        try marvin.add("d.epub", uuid: "p", title: "Nobody", author: "")
        let rows = try upload(
            [
                item("u-1") {
                    $0.title = "C Primer"
                    $0.authors = ["A"]
                }, item("u-2") { $0.title = "Nobody" },
            ], .protect)
        #expect(rows.map(\.outcome) == [.added, .added])
    }

    @Test("The one of two books of one uuid with the same title is replaced, and another title is added")
    func sharedUUID() throws {
        for (name, title) in [("a.epub", "One"), ("b.epub", "Two")] {
            try marvin.add(name, uuid: "u-1", title: title, content: title)
        }
        let items = try ["Two", "Three"].map { title in
            var item = try host.item("u-1", ZipFixture.epub(title))
            (item.book.title, item.book.authors) = (title, ["A"])
            return item
        }
        let rows = try upload([items[0]], .replace) + upload([items[1]], .replace)
        #expect(rows.map(\.outcome) == [.replaced, .added])
        #expect(rows[1].message == DuplicateMessages.sharedUUID)
        #expect(try content("a.epub") == Data("One".utf8))
        #expect(try content("b.epub") == Data(ZipFixture.epub("Two")))
        #expect(try marvin.documents().count == 3)
    }

    @Test("The row names a book under another title, whether it is kept or replaced")
    func otherTitle() throws {
        try marvin.add("a.epub", uuid: "u-1", title: "Ema")
        let item = try item("u-1") { $0.title = "Emma" }
        #expect(
            try upload([item], .protect).map(\.message) == [
                "The book is already in Marvin's library as 'Ema', with the same uuid and different content. Use --on-conflict replace to replace it."
            ])
        #expect(
            try upload([item], .replace).map(\.message) == [
                "It replaced 'Ema', which had the same uuid."
            ])
    }

    @Test("None of several books with the same title and authors is replaced or updated")
    func ambiguous() throws {
        for name in ["a.epub", "b.epub"] { try marvin.add(name, uuid: name, title: "Same") }
        func twin(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        #expect(try upload([twin("u-1")], .protect).map(\.outcome) == [.skipped])
        let rows = try upload([twin("u-1")], .replace) + upload([twin("u-1")], .update)
        #expect(rows.map(\.status) == [.invalidArgument, .invalidArgument])
        #expect(rows[0].message?.contains("a.epub, b.epub") == true)
        #expect(marvin.commands.isEmpty)
    }

    @Test("The row of a book that is kept names other content, and collections that it is not in")
    func keptBook() throws {
        let bytes = ZipFixture.epub("same")
        try marvin.add("u-1.epub", uuid: "u-1")
        try marvin.library.setCollections(["Sea"], of: "u-1.epub")
        try marvin.add("u-2.epub", uuid: "u-2")
        try Data(bytes).write(to: host.url("Documents/u-2.epub"))
        var items = [try item("u-1"), try host.item("u-2", bytes)]
        for index in items.indices { items[index].book.title = "T" }
        let (rows, _) = try host.upload(items, UploadOptions(collections: ["sea", "Sky"]))
        #expect(
            rows.map(\.message) == [
                "The book is already in Marvin's library, with different content. Use --on-conflict replace to replace it. It was not added to 'Sky'. To add it, use 'overlayhost collections --add'.",
                "The book is already in Marvin's library. It was not added to 'sea', 'Sky'. To add it, use 'overlayhost collections --add'.",
            ])
        #expect(try upload(items, .protect)[1].message == "The book is already in Marvin's library.")
    }

    /// Weakness 28 in docs/weaknesses.md.
    @Test(
        "The requests of an upload grow with its books, not with the product of its books and the library"
    )
    func manyBooks() throws {
        var costs: [Int] = []
        for (first, count) in [(0, 100), (1000, 200)] {
            let host = try MarvinTestHost(TemporaryFolder())
            let marvin = try FakeMarvin(host)
            for number in 0..<count {
                try marvin.add("\(first + number).epub", uuid: "o-\(number)", title: "T \(number)")
            }
            let items = (0..<count).map { number in
                let book = Book(uuid: "u-\(number)", title: "t  \(number)", authors: ["a"])
                let file = host.lend("lent", ZipFixture.epub("\(number)"))
                return UploadItem(file: file, name: "x.epub", book: book)
            }
            host.resetCounts()
            let (rows, _) = try host.upload(items)
            #expect(rows.map(\.path) == (0..<count).map { "\(first + $0).epub" })
            #expect(rows.allSatisfy { $0.outcome == .skipped })
            costs.append(host.requests)
        }
        #expect(costs[1] <= 2 * costs[0], "\(costs)")
    }
}
