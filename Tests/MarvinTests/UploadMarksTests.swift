import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing
import UploadPlanning

@testable import Marvin

@Suite("A replacement in Marvin removes only marks that were named and agreed to")
struct UploadMarksTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    /// A book with two highlights, a note, a bookmark and a place, and one without any.
    private func marked() throws {
        try marvin.add("u-1.epub", uuid: "u-1", title: "Emma", author: "Jane Austen")
        try marvin.add("u-2.epub", uuid: "u-2", title: "Persuasion", author: "Jane Austen")
        try marvin.library.run(
            """
            INSERT INTO Highlights (BookID, Text, Note, Deleted)
                SELECT ID, 'one', NULL, 0 FROM Books WHERE UUID = 'u-1';
            INSERT INTO Highlights (BookID, Text, Note, Deleted)
                SELECT ID, 'two', NULL, 0 FROM Books WHERE UUID = 'u-1';
            INSERT INTO Highlights (BookID, Text, Note, Deleted)
                SELECT ID, 'gone', NULL, 1 FROM Books WHERE UUID = 'u-2';
            INSERT INTO Highlights (BookID, Text, Note, Deleted)
                SELECT ID, 'three', 'so true', 0 FROM Books WHERE UUID = 'u-1';
            INSERT INTO Bookmarks (BookID, Location) SELECT ID, '12' FROM Books WHERE UUID = 'u-1';
            UPDATE Books SET Progress = 0.42 WHERE UUID = 'u-1';
            """)
    }

    private let marks = "2 highlights, 1 note, 1 bookmark and the reading position (42 %)"

    @Test("Highlights, notes, bookmarks and the place are named, and the book is replaced only with consent")
    func consent() throws {
        try marked()
        let items = [try item("u-1"), try item("u-2")]
        let rows = try upload(items, .replace)
        #expect(rows.map(\.outcome) == [.failed, .replaced])
        #expect(rows[0].status == .needsConsent && rows[0].path == "u-1.epub")
        #expect(rows[0].message == "Replacing the book would lose \(marks).")
        #expect(try content("u-1.epub") == Data("old".utf8))

        let (agreed, _) = try host.upload(
            [item("u-1") { $0.title = "Emma" }], UploadOptions(onConflict: .replace, mayLoseMarks: true))
        #expect(agreed.map(\.outcome) == [.replaced])
        #expect(agreed[0].message == "The old copy was removed, along with \(marks).")
        #expect(try content("u-1.epub") == Data(ZipFixture.epub("u-1")))
    }

    @Test(
        "Marks that cannot be read, because a part of the library is missing, may be lost only with consent",
        arguments: [
            ("DROP TABLE Highlights", "1 bookmark, "), ("DROP TABLE Bookmarks", "2 highlights, 1 note, "),
            (
                "ALTER TABLE Highlights RENAME COLUMN Text TO Passage",
                "2 highlights, 1 note, 1 bookmark, "
            ),
        ])
    func unreadable(change: String, known: String) throws {
        try marked()
        try marvin.library.run(change)
        let rows = try upload([item("u-1"), item("u-2")], .replace)
        #expect(rows.map(\.status) == [.needsConsent, .needsConsent])
        let unknown = "any highlights, notes and bookmarks that cannot be read"
        #expect(
            rows[0].message
                == "Replacing the book would lose \(known)\(unknown) and the reading position (42 %).")
        #expect(rows[1].message == "Replacing the book would lose \(unknown).")
        #expect(try content("u-1.epub") == Data("old".utf8))
        let (agreed, _) = try host.upload(
            [item("u-2")], UploadOptions(onConflict: .replace, mayLoseMarks: true))
        #expect(agreed.map(\.outcome) == [.replaced])
    }

    @Test("A book with the same content is not sent again, with or without marks") func sameContent() throws {
        try marked()
        try Data(ZipFixture.epub("u-1")).write(to: host.url("Documents/u-1.epub"))
        var named = try host.item("u-9", ZipFixture.epub("u-1"))
        (named.book.title, named.book.authors) = ("Emma", ["Jane Austen"])
        for item in [try item("u-1"), named] {
            let rows = try upload([item], .replace)
            #expect(rows.map(\.outcome) == [.skipped])
            #expect(rows[0].message == "The book is already in Marvin's library.")
        }
        #expect(marvin.commands.isEmpty)
    }

    @Test("An update keeps everything that a person left in a book") func update() throws {
        try marked()
        let rows = try upload([item("u-1") { $0.publisher = "Press" }], .update)
        #expect(rows.map(\.outcome) == [.updated])
        #expect(try content("u-1.epub") == Data("old".utf8))
    }

    @Test("A replacement of a book without authors is added, and its row names the other one")
    func withoutAuthors() throws {
        try marvin.add("there.epub", uuid: "o", title: "Report", author: "")
        for conflict in [ConflictPolicy.protect, .replace] {
            let rows = try upload([item("u-\(conflict.rawValue)") { $0.title = "Report" }], conflict)
            #expect(rows.map(\.outcome) == [.added])
            #expect(rows[0].message == DuplicateMessages.sameTitle)
        }
    }

    @Test(
        "Collections that name flags of Marvin set them, however they are written",
        arguments: ["new", "Read", "reading list"])
    func flags(name: String) throws {
        let (rows, _) = try host.upload([item("u-1")], UploadOptions(collections: [name, "Sea"]))
        #expect(rows.map(\.outcome) == [.added])
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        let flag = name.uppercased()
        #expect(command.books[0].collections == (flag == "NEW" ? ["Sea", "NEW"] : [flag, "Sea", "NEW"]))
    }

    // MARK: - Ids

    @Test("Two different files of one uuid both arrive, under names of their own") func sharedUUID() throws {
        var items: [UploadItem] = []
        for (number, title) in ["One", "Two"].enumerated() {
            var item = try host.item("u-1", ZipFixture.epub(title), name: "\(title).epub")
            (item.book.title, item.book.authors, item.book.contentID) = (title, ["A"], "c-\(number)")
            items.append(item)
        }
        let rows = try upload(items, .replace)
        #expect(rows.map(\.outcome) == [.added, .added])
        #expect(rows.map(\.path) == ["u-1.epub", "c-1.epub"])
        #expect(rows.map(\.message) == [nil, DuplicateMessages.sharedUUID])
        #expect(try content("u-1.epub") == Data(ZipFixture.epub("One")))
        #expect(try content("c-1.epub") == Data(ZipFixture.epub("Two")))
    }

    @Test("A second book of one uuid does not take the first one's place in the host's list")
    func sharedUUIDInBooklist() {
        let first = Book(path: "u-1.epub", uuid: "u-1", title: "One", authors: ["A"])
        let second = Book(path: "c-1.epub", uuid: "u-1", title: "Two", authors: ["B"])
        guard case .insert? = MarvinBooklist.adding([second], to: [first]).first else {
            Issue.record("It is not inserted.")
            return
        }
        let renamed = Book(path: "u-1.epub", uuid: "u-1", title: "Emma", authors: ["A"])
        guard case .replace? = MarvinBooklist.adding([renamed], to: [first]).first else {
            Issue.record("It is not replaced.")
            return
        }
    }

    @Test("An update by title gives the book the uuid of its own that the new file has")
    func updateByTitle() throws {
        try marvin.add("real name.epub", uuid: "o", title: "Title")
        func named(_ uuid: String, _ contentID: String?) throws -> UploadItem {
            try item(uuid) {
                ($0.title, $0.authors, $0.contentID) = ("Title", ["A"], contentID)
            }
        }
        // An id that is made from the content alone does not identify the book.
        #expect(try upload([named("u-1", "u-1")], .update).map(\.outcome) == [.skipped])
        #expect(try upload([named("u-1", "c-1")], .update).map(\.outcome) == [.updated])
        #expect(marvin.updates.map { $0.books.map(\.uuid) } == [["u-1"]])
        #expect(marvin.updates[0].books[0].fileName == "real name.epub")
    }

    @Test("A corrected title replaces the book of the same uuid") func correctedTitle() throws {
        try marvin.add("u-1.epub", uuid: "u-1", title: "Ema", author: "Jane Austen")
        let corrected = try item("u-1") { ($0.title, $0.authors) = ("Emma", ["Jane Austen"]) }
        #expect(try upload([corrected], .replace).map(\.outcome) == [.replaced])
        #expect(try marvin.documents() == ["u-1.epub"])
    }

    // MARK: - Unreadable files

    @Test("A book of the same size that cannot be read fails the item", arguments: [1, 10])
    func unread(failures: Int) throws {
        let bytes = ZipFixture.epub("the very same")
        try marvin.add("there.epub", uuid: "o", title: "Other")
        try Data(bytes).write(to: host.url("Documents/there.epub"))
        var count = 0
        host.fault = { operation, path in
            guard operation.hasPrefix("read"), path.hasSuffix("there.epub"), count < failures else {
                return nil
            }
            count += 1
            return .deviceIO
        }
        let rows = try upload([host.item("u-1", bytes)], .protect)
        #expect(rows.map(\.status) == [failures == 1 ? .ok : .deviceIO])
        #expect(rows.map(\.path) == [failures == 1 ? "there.epub" : nil])
        #expect(try marvin.documents() == ["there.epub"])
    }
}
