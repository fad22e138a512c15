import OverlayKitTesting
import CSQLite
import DeviceDatabases
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A row of excessive size loses only its own book")
struct TextLimitTests {
    let folder: TemporaryFolder
    let fixture: LibraryFixture

    init() throws {
        folder = try TemporaryFolder()
        fixture = try LibraryFixture(path: folder.path("mainDb.sqlite"))
    }

    private func read() throws -> LibraryContents {
        try LibraryDatabaseReader(
            DeviceDatabase(path: fixture.path, name: LibraryDatabaseReader.name, byteBudget: 256 << 20)
        )
        .read()
    }

    /// An SQL expression for a text of so many letters.
    private func text(_ count: Int, _ letter: String = "a") -> String {
        "replace(printf('%.\(count)c', 'x'), 'x', '\(letter)')"
    }

    @Test("Texts are cut to the host's limit, and the log says so") func longTexts() throws {
        try fixture.add([
            "FileName": "'a.epub'", "Title": text(3_000_000), "Publisher": "printf('%.3000000c', 'p')",
            "Description": "printf('%.16000000c', 'd')",
        ])
        try fixture.add(["FileName": "'b.epub'", "Title": "'B'"])
        let library = try read()
        #expect(library.books.map(\.fileName) == ["a.epub", "b.epub"])
        #expect(library.books[0].title?.utf8.count == 1 << 20)
        #expect(library.books[0].publisher?.utf8.count == 1 << 20)
        #expect(library.books[0].description?.utf8.count == 16_000_000)
        #expect(library.books[1].title == "B")
        #expect(library.remarks.contains("The title of a.epub was truncated because it has 3000000 bytes."))
        #expect(library.remarks.count == 2)
    }

    @Test("A text is cut between two characters") func wholeCharacters() {
        var textBudget = TextBudget()
        #expect(textBudget.cut("aä😀z", limit: 4, .title, of: "f") == "aä")
        #expect(textBudget.cut("aä😀z", limit: 2, .title, of: "f") == "a")
        #expect(textBudget.cut("😀", limit: 3, .title, of: "f") == nil)
        #expect(textBudget.cut("aä😀z", limit: 8, .title, of: "f") == "aä😀z")
        #expect(textBudget.remarks.texts.count == 3)
    }

    @Test("All texts together stay within the host's limit") func allTexts() {
        var textBudget = TextBudget(total: 100)
        let long = String(repeating: "a", count: 60)
        #expect(textBudget.cut(long, .title, of: "f") == long)
        #expect(textBudget.cut(long, .title, of: "f")?.utf8.count == 40)
        #expect(textBudget.cut(long, .title, of: "f") == nil)
        #expect(textBudget.whole("u", "identifier", of: "f") == nil)
        #expect(textBudget.names(["n"], "tags", of: "f") == [])
        #expect(textBudget.spent == 100)
    }

    @Test("Lists end at the host's limit, and flags are never left out") func longLists() throws {
        try fixture.add(["ID": "1", "FileName": "'a.epub'", "IsRead": "1", "ReadingList": "1"])
        try fixture.run(
            """
            CREATE TABLE N (I INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) INSERT INTO N SELECT i FROM n;
            INSERT INTO BookSubjects SELECT 1, 's' || I FROM N;
            INSERT INTO Collections SELECT I, 'c' || I FROM N;
            INSERT INTO BookCollections SELECT 1, I FROM N;
            """)
        try fixture.run("UPDATE Books SET Author = (SELECT group_concat('a' || I, ', ') FROM N)")
        let library = try read()
        let book = try #require(library.books.first)
        #expect(book.tags.count == 65_536)
        #expect(book.collections.count == 65_536)
        #expect(book.collections.contains("READ") && book.collections.contains("READING LIST"))
        #expect(book.authors.count == 65_536)
        #expect(book.authors.last?.hasSuffix("a70000") == true)
        #expect(library.remarks.count == 2)
    }

    @Test("A collection's name is kept whole or left out, because part of it would name another collection")
    func collectionNames() throws {
        try fixture.add(["ID": "1", "FileName": "'a.epub'"])
        try fixture.run(
            """
            INSERT INTO Collections VALUES (1, \(text(2_000_000))), (2, 'Fine');
            INSERT INTO BookCollections VALUES (1, 1), (1, 2);
            INSERT INTO BookSubjects VALUES (1, \(text(2_000_000))), (1, 'Fine');
            """)
        let library = try read()
        #expect(library.books.first?.collections == ["Fine"])
        #expect(library.books.first?.tags == ["Fine"])
        #expect(library.remarks.count == 2)
    }

    @Test("Rows that no statement can read are skipped in every table") func unreadableRows() throws {
        for number in 1...6 {
            let isLarge = [1, 3, 4, 6].contains(number)
            try fixture.add([
                "ID": "\(number)", "FileName": "'\(number).epub'",
                "Description": isLarge ? "zeroblob(20000000)" : "'fine'",
            ])
        }
        try fixture.run(
            """
            INSERT INTO Collections VALUES (1, zeroblob(20000000)), (2, 'Fine');
            INSERT INTO BookCollections VALUES (2, 1), (2, 2);
            INSERT INTO BookSubjects VALUES (2, zeroblob(20000000)), (2, 'Tag');
            """)
        let library = try read()
        #expect(library.books.map(\.fileName) == ["2.epub", "5.epub"])
        #expect(library.books[0].collections == ["Fine"])
        #expect(library.books[0].tags == ["Tag"])
        #expect(
            library.remarks.contains(
                "4 entries of books were left out because they are too large."))
        #expect(library.remarks.count == 4)
    }

    @Test("Rows with the smallest and the largest key are found, and reading ends")
    func extremeKeys() throws {
        for key in ["-9223372036854775808", "0", "9223372036854775807"] {
            try fixture.add(["ID": key, "FileName": "'\(key).epub'"])
        }
        #expect(try read().books.count == 3)
        try fixture.run("UPDATE Books SET Description = zeroblob(20000000)")
        #expect(try read().books.isEmpty)
    }

    @Test("A cover that no statement can read hides no other cover") func unreadableCover() throws {
        let path = folder.path("old.sqlite")
        let old = try LibraryFixture(
            path: path,
            schema: "CREATE TABLE Books (ID INTEGER PRIMARY KEY, FileName TEXT, SmallCoverJpg BLOB)")
        try old.run(
            """
            INSERT INTO Books VALUES (1, 'a.epub', x'FFD8'), (2, 'b.epub', zeroblob(20000000)), (3, 'c.epub', x'FFD9');
            """)
        let reader = try LibraryDatabaseReader(
            DeviceDatabase(path: path, name: LibraryDatabaseReader.name, byteBudget: 64 << 20))
        #expect(try reader.coverBlobs(in: 1...3, largest: 100) == [1: [0xFF, 0xD8], 3: [0xFF, 0xD9]])
    }

    @Test("A table without row ids, or with a column of that name, is read normally")
    func unusualRowIDs() throws {
        for (number, schema) in [
            "CREATE TABLE Books (FileName TEXT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE Books (FileName TEXT, rowid TEXT)",
        ].enumerated() {
            let other = try LibraryFixture(path: folder.path("\(number).sqlite"), schema: schema)
            try other.run("INSERT INTO Books (FileName) VALUES ('a.epub'), ('b.epub')")
            let library = try LibraryDatabaseReader(
                DeviceDatabase(path: other.path, name: LibraryDatabaseReader.name, byteBudget: 1 << 20)
            ).read()
            #expect(library.books.map(\.fileName) == ["a.epub", "b.epub"])
        }
    }

    @Test("A thousand oddities make a hundred lines in the log") func oddities() throws {
        try fixture.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO Books (FileName) SELECT '../' || i FROM n
            """)
        let remarks = try read().remarks
        #expect(remarks.count == 101)
        #expect(remarks.last == "900 more problems in the library are not shown.")
    }

    @Test("The listing succeeds, and the log says what was cut") func listing() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        let marvin = try FakeMarvin(host)
        try marvin.add("a.epub", uuid: "u-1")
        try marvin.library.run("UPDATE Books SET Title = printf('%.3000000c', 't')")
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        #expect(books.map { $0.title?.utf8.count } == [1 << 20])
        #expect(host.log.contains { $0.contains("The title of a.epub was truncated") })
    }
}
