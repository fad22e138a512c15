import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Values that were not read, or are out of date, are never sent")
struct UnreadPartsTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        for name in ["a", "b", "c"] {
            try marvin.add("\(name).epub", uuid: "u-\(name)", title: "Title \(name)")
            try marvin.library.setCollections(["READ", "Mine"], of: "\(name).epub")
            try marvin.library.setSubjects(["Sea"], of: "\(name).epub")
        }
        try marvin.library.run("UPDATE Books SET Publisher = 'P', Rating = 3, CalibreSeriesIndex = '2'")
    }

    private func sync(_ paths: [String], _ change: (inout Book) -> Void) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        let books = paths.map { path in
            var book = Book(path: path)
            change(&book)
            return book
        }
        try host.overlay().syncBooklists(books) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    private func list() throws { try host.overlay().books(BooksOptions()) { _ in } }

    @Test(
        "Collections kept in another way than this one knows are left out of every command, and are not changed",
        arguments: [
            "ALTER TABLE Collections RENAME COLUMN Name TO Label", "DROP TABLE BookCollections",
            "UPDATE BookCollections SET BookID = 'book ' || BookID",
            "ALTER TABLE Books RENAME COLUMN IsRead TO HasBeenRead",
        ], [true, false])
    func otherCollections(change: String, isListed: Bool) throws {
        try marvin.library.run(change)
        // A cached booklist has the same values.
        if isListed { try list() }
        #expect(try sync(["a.epub"]) { $0.title = "New" }.map(\.outcome) == [.updated])
        let sent = try #require(marvin.updates.first?.books.first)
        #expect(sent.title == "New" && sent.publisher == "P" && sent.subjects == ["Sea"])
        #expect(sent.collections == nil)
        let text = String(decoding: marvin.updates[0].encoded(), as: UTF8.self)
        #expect(!text.contains("<collections"))
        let rows = try sync(["b.epub"]) { $0.collections = ["Other"] }
        #expect(rows.map(\.status) == [.notSupported])
        #expect(rows[0].message?.contains("Cannot read the book's collections") == true)
        let (uploads, _) = try host.upload(
            [host.item("u-c", name: "c.epub")], UploadOptions(onConflict: .replace))
        #expect(uploads.map(\.status) == [.notSupported])
        #expect(uploads[0].path == "c.epub")
        #expect(marvin.commands.count == 1)
    }

    @Test("Subjects that are kept in another way are left out, too") func otherSubjects() throws {
        try marvin.library.run("ALTER TABLE BookSubjects RENAME COLUMN Subject TO Label")
        #expect(try sync(["a.epub"]) { $0.title = "New" }.map(\.outcome) == [.updated])
        #expect(marvin.updates.first?.books.first?.subjects == nil)
        #expect(marvin.updates.first?.books.first?.collections == ["Mine", "READ"])
        #expect(try sync(["a.epub"]) { $0.tags = ["x"] }.map(\.status) == [.notSupported])
    }

    @Test("Values in columns of another name, or of another kind, are left out") func otherColumns() throws {
        try marvin.library.run(
            """
            ALTER TABLE Books RENAME COLUMN Publisher TO House; ALTER TABLE Books RENAME COLUMN AuthorSort TO Sort;
            UPDATE Books SET Rating = 70, CalibreSeriesIndex = 'two'
            """)
        #expect(try sync(["a.epub"]) { $0.title = "New" }.map(\.outcome) == [.updated])
        let sent = try #require(marvin.updates.first)
        #expect(sent.books[0].unknown == [.publisher, .authorSort, .rating, .seriesIndex])
        let text = String(decoding: sent.encoded(), as: UTF8.self)
        for name in ["publisher=", "authorsort=", "rating=", "seriesindex="] {
            #expect(!text.contains(name), "\(name)")
        }
        // A value that the user sets is known.
        _ = try sync(["b.epub"]) { $0.rating = 4 }
        #expect(marvin.updates.last?.books[0].rating == 4)
        #expect(marvin.updates.last?.books[0].unknown == [.publisher, .authorSort, .seriesIndex])
    }

    @Test("A text that was cut is not sent back, but a new text may replace it") func cutText() throws {
        let long = String(repeating: "x", count: TextBudget.text + 1)
        try marvin.library.run("UPDATE Books SET Publisher = '\(long)' WHERE FileName = 'a.epub'")
        let rows = try sync(["a.epub", "b.epub"]) { $0.title = "New" }
        #expect(rows.map(\.status) == [.notSupported, .ok])
        #expect(rows[0].message?.contains("Cannot read the book's publisher completely") == true)
        #expect(rows[0].hint?.contains("Give the publisher") == true)
        #expect(marvin.updates.map { $0.books.map(\.fileName) } == [["b.epub"]])
        #expect(try sync(["a.epub"]) { $0.publisher = "Q" }.map(\.outcome) == [.updated])
        #expect(try sync(["a.epub"]) { $0.collections = ["Mine"] }.map(\.outcome) == [.updated])
    }

    @Test("The second batch keeps what changes while Marvin has the first")
    func changeDuringFirstBatch() throws {
        host.integers["upload_batch_size"] = 1
        marvin.onCommand = { [unowned marvin] command in
            guard command.fileNames == ["a.epub"] else { return }
            attempt {
                try marvin.library.setCollections(["READ", "READING LIST", "Theirs"], of: "b.epub")
                try marvin.library.run("UPDATE Books SET Publisher = 'Theirs' WHERE FileName = 'b.epub'")
                try marvin.library.run("DELETE FROM Books WHERE FileName = 'c.epub'")
            }
        }
        let rows = try sync(["a.epub", "b.epub", "c.epub"]) {
            $0.title = "New"
            $0.collections = ["READ", "Ours"]
        }
        #expect(rows.map(\.status) == [.ok, .ok, .notFound])
        let sent = try #require(marvin.updates.last?.books.first)
        #expect(sent.title == "New" && sent.publisher == "Theirs")
        #expect(sent.collections == ["Ours", "READ", "READING LIST", "Theirs"])
        #expect(marvin.updates.count == 2)
    }

    @Test("A book that a later batch replaces keeps what it got meanwhile") func replacedLater() throws {
        host.integers["upload_batch_size"] = 1
        marvin.onCommand = { [unowned marvin] command in
            guard command.fileNames == ["u-x.epub"] else { return }
            attempt {
                try marvin.library.setCollections(["Theirs"], of: "b.epub")
                try marvin.library.run("UPDATE Books SET Pin = 1 WHERE FileName = 'b.epub'")
                try marvin.library.run("UPDATE Books SET Publisher = 'Theirs' WHERE FileName = 'c.epub'")
            }
        }
        let (rows, _) = try host.upload(
            [host.item("u-x"), host.item("u-b")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.added, .replaced])
        guard case .uploadBooks(let second)? = marvin.commands.last else {
            Issue.record("no second batch")
            return
        }
        #expect(second.books[0].collections == ["Theirs", "NEW"] && second.books[0].isLocked)
        var known = try host.item("u-c")
        known.book.title = "Renamed"
        let (changed, _) = try host.upload(
            [host.item("u-y"), known], UploadOptions(onConflict: .update))
        #expect(changed.map(\.outcome) == [.added, .updated])
        #expect(marvin.updates.last?.books[0].publisher == "Theirs")
    }

    @Test("An empty title is refused, and nothing is sent", arguments: ["", "  ", "\u{1}"])
    func emptyTitle(title: String) throws {
        let rows = try sync(["a.epub"]) {
            $0.title = title
            $0.publisher = "New"
        }
        #expect(rows.map(\.status) == [.invalidArgument])
        #expect(rows[0].message == "A book must have a title.")
        #expect(marvin.commands.isEmpty)
        // A file without a title does not remove one either.
        var untold = try host.item("u-a")
        untold.book.title = title
        untold.book.publisher = "New"
        let (uploads, _) = try host.upload([untold], UploadOptions(onConflict: .update))
        #expect(uploads.map(\.outcome) == [.updated])
        #expect(marvin.updates.first?.books[0].title == "Title a")
    }
}
