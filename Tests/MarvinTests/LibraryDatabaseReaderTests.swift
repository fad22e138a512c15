import Diagnostics
import CSQLite
import DeviceDatabases
import Foundation
import TestSupport
import Testing

@testable import Marvin

@Suite("Marvin's library is read with all values, in any form")
struct LibraryDatabaseReaderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ path: String, budget: Int = 64 << 20) throws -> LibraryContents {
        try LibraryDatabaseReader(
            DeviceDatabase(path: path, name: LibraryDatabaseReader.name, byteBudget: budget)
        ).read()
    }

    private func fixture(_ mode: String = "DELETE", schema: String = LibraryFixture.schema) throws
        -> LibraryFixture
    {
        try LibraryFixture(path: folder.path("mainDb.sqlite"), schema: schema, mode: mode)
    }

    @Test("A full row is read with every value in its place") func fullRow() throws {
        let fixture = try fixture()
        try fixture.add([
            "ID": "7", "Title": "'Träume'", "Author": "'Ann Author, Bo Writer'",
            "AuthorSort": "'Author, Ann'",
            "CalibreSeries": "'Saga'", "CalibreSeriesIndex": "'2.5'", "CalibreTitleSort": "'Träume, Die'",
            "DateAdded": "1364148473.9", "DatePublished": "'-86400'", "Description": "'<p>x</p>'",
            "FileName": "'a.epub'", "Hash": "'abc'", "IsRead": "1", "NewFlag": "1", "Publisher": "'P'",
            "ReadingList": "0", "UUID": "'u-1'", "Rating": "3.5",
        ])
        try fixture.run(
            """
            INSERT INTO BookSubjects VALUES (7, 'Zoo'), (7, 'Art'), (7, 'Zoo');
            INSERT INTO Collections VALUES (1, 'Sea & Sky'), (2, 'Quiet');
            INSERT INTO BookCollections VALUES (7, 1), (7, 2);
            """)
        let library = try read(fixture.path)
        #expect(
            library.books == [
                LibraryBook(
                    id: 7, fileName: "a.epub", uuid: "u-1", title: "Träume", author: "Ann Author, Bo Writer",
                    authorSort: "Author, Ann", titleSort: "Träume, Die", series: "Saga", seriesIndex: 2.5,
                    publisher: "P", published: "1969-12-31", added: 1_364_148_473, description: "<p>x</p>",
                    rating: 3.5, hash: "abc", tags: ["Art", "Zoo"],
                    collections: ["NEW", "Quiet", "READ", "Sea & Sky"])
            ])
        #expect(library.books.first?.authors == ["Ann Author", "Bo Writer"])
        #expect(library.remarks.isEmpty)
    }

    @Test("The date that calibre writes for an unknown one is left out") func unknownDate() throws {
        let fixture = try fixture()
        try fixture.add(["ID": "1", "FileName": "'a.epub'", "DatePublished": "'-58979923200'"])
        try fixture.add(["ID": "2", "FileName": "'b.epub'", "DatePublished": "'-58948387200'"])
        #expect(try read(fixture.path).books.map(\.published) == [nil, "0102-01-01"])
    }

    @Test("Committed pages in the write-ahead log count") func writeAheadLog() throws {
        let fixture = try fixture("WAL")
        try fixture.add(["FileName": "'first.epub'"])
        try fixture.run("PRAGMA wal_checkpoint(TRUNCATE)")
        try fixture.add(["FileName": "'second.epub'"])
        // A copy as the overlay makes it: the main file and the log, without the index.
        let copy = folder.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
        #expect(try read(copy).books.map(\.fileName) == ["first.epub"])
        let whole = folder.path("whole.sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: whole)
        try FileManager.default.copyItem(atPath: fixture.path + "-wal", toPath: whole + "-wal")
        #expect(try read(whole).books.map(\.fileName) == ["first.epub", "second.epub"])
    }

    @Test("A log that stops inside a transaction ends at the last complete one") func cutLog() throws {
        let fixture = try fixture("WAL")
        try fixture.add(["FileName": "'first.epub'"])
        let size = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal")).count
        try fixture.add(["FileName": "'second.epub'"])
        let copy = folder.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
        try log.prefix(size + 1000).write(to: URL(fileURLWithPath: copy + "-wal"))
        #expect(try read(copy).books.map(\.fileName) == ["first.epub"])
    }

    @Test("NULLs and empty texts are absent values") func absentValues() throws {
        let fixture = try fixture()
        try fixture.add(["FileName": "'a.epub'"])
        try fixture.add([
            "FileName": "'b.epub'", "Title": "''", "Author": "''", "UUID": "''", "CalibreSeries": "''",
        ])
        try fixture.add(["FileName": "NULL", "Title": "'lost'"])
        let library = try read(fixture.path)
        #expect(library.books.map(\.fileName) == ["a.epub", "b.epub"])
        for book in library.books {
            #expect(book.title == nil && book.author == nil && book.uuid == nil && book.series == nil)
            #expect(
                book.seriesIndex == nil && book.published == nil && book.added == nil && book.authors == [])
            #expect(book.tags == [] && book.collections == [])
        }
        #expect(library.remarks.count == 1)
    }

    @Test("Collections and books that do not exist are skipped") func danglingReferences() throws {
        let fixture = try fixture()
        try fixture.add(["ID": "1", "FileName": "'a.epub'"])
        try fixture.run(
            """
            INSERT INTO Collections VALUES (1, 'Real'), (3, NULL);
            INSERT INTO BookCollections VALUES (1, 1), (1, 2), (1, 3), (99, 1), (NULL, 1), ('x', 'y');
            INSERT INTO BookSubjects VALUES (99, 'Ghost'), (NULL, 'Ghost'), (1, NULL);
            """)
        let library = try read(fixture.path)
        #expect(library.books.first?.collections == ["Real"])
        #expect(library.books.first?.tags == [])
        #expect(library.remarks.count == 1)
    }

    @Test("A schema with fewer columns and tables is read as far as it goes") func smallSchema() throws {
        let fixture = try fixture(
            schema: "CREATE TABLE books (id INTEGER PRIMARY KEY, filename TEXT, TITLE TEXT)")
        try fixture.run("INSERT INTO books VALUES (1, 'a.epub', 'A')")
        let library = try read(fixture.path)
        let all = MetadataField.allCases.filter { $0 != .title }
        #expect(
            library.books == [
                LibraryBook(id: 1, fileName: "a.epub", title: "A", unread: FieldSet(all))
            ])
    }

    @Test("A missing column is not read as the text of its name") func missingColumn() throws {
        // SQLite treats an unknown name in double quotes as a text, so the title would be "Title".
        let fixture = try fixture(schema: "CREATE TABLE Books (ID INTEGER PRIMARY KEY, FileName TEXT)")
        try fixture.run("INSERT INTO Books VALUES (1, 'a.epub')")
        #expect(try read(fixture.path).books.first?.title == nil)
    }

    @Test("Covers stored in the database are measured and delivered") func storedCovers() throws {
        let fixture = try fixture(
            schema: "CREATE TABLE Books (ID INTEGER PRIMARY KEY, FileName TEXT, SmallCoverJpg BLOB)")
        try fixture.run(
            "INSERT INTO Books VALUES (1, 'a.epub', x'FFD8FF00'), (2, 'b.epub', NULL), (9, 'c.epub', x'01')")
        let reader = try LibraryDatabaseReader(
            DeviceDatabase(path: fixture.path, name: LibraryDatabaseReader.name, byteBudget: 1 << 20))
        #expect(try reader.read().books.map(\.coverBlobSize) == [4, 0, 1])
        #expect(try reader.coverBlobs(in: 1...2, largest: 100) == [1: [0xFF, 0xD8, 0xFF, 0]])
        #expect(try reader.coverBlobs(in: 1...9, largest: 3) == [9: [1]])
    }

    @Test("Texts that are not UTF-8, and values that are not numbers, do no harm") func badValues() throws {
        let fixture = try fixture()
        try fixture.add([
            "FileName": "'a.epub'", "Title": "CAST(x'41FF42' AS TEXT)", "Author": "CAST(x'410042' AS TEXT)",
            "DateAdded": "'soon'", "DatePublished": "1e300", "CalibreSeriesIndex": "'II'",
            "CalibreSeries": "'S'",
            "Rating": "17", "IsRead": "'yes'", "NewFlag": "x'01'", "UUID": "42",
        ])
        let book = try #require(try read(fixture.path).books.first)
        #expect(book.title == "A\u{FFFD}B")
        #expect(book.author == "AB")
        #expect(book.added == nil && book.published == nil && book.rating == nil)
        #expect(book.seriesIndex == 0)
        #expect(book.collections == [])
        #expect(book.uuid == "42")
    }

    @Test(
        "A book whose file name would leave its folder is left out",
        arguments: [
            "'../x.epub'", "'a/b.epub'", "'..'", "'.'", "''", "CAST(x'612E00' AS TEXT) || '/'", "char(10)",
        ])
    func climbingFileName(name: String) throws {
        let fixture = try fixture()
        try fixture.add(["FileName": name])
        try fixture.add(["FileName": "'fine.epub'"])
        let library = try read(fixture.path)
        #expect(library.books.map(\.fileName) == ["fine.epub"])
        #expect(library.remarks.count == 1)
    }

    @Test("Two entries for one file give one book") func sharedFile() throws {
        let fixture = try fixture()
        try fixture.add(["FileName": "'a.epub'", "Title": "'one'"])
        try fixture.add(["FileName": "'a.epub'", "Title": "'two'"])
        let library = try read(fixture.path)
        #expect(library.books.map(\.title) == ["one"])
        #expect(library.remarks == ["A duplicate entry for the file a.epub was left out."])
    }

    @Test("A hash that would leave the covers' folder gives no cover") func climbingCoverHash() throws {
        let fixture = try fixture()
        try fixture.add(["FileName": "'a.epub'", "Hash": "'../../secret'"])
        #expect(try read(fixture.path).books.first?.hash == nil)
    }
}

@Suite("A damaged or hostile library is an error with SQLite's code, never a crash")
struct HostileLibraryTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ path: String, budget: Int = 64 << 20) throws -> DatabaseError {
        try #require(throws: DatabaseError.self) {
            try LibraryDatabaseReader(
                DeviceDatabase(path: path, name: LibraryDatabaseReader.name, byteBudget: budget)
            ).read()
        }
    }

    private func read(_ path: String) throws -> LibraryContents {
        try LibraryDatabaseReader(
            DeviceDatabase(path: path, name: LibraryDatabaseReader.name, byteBudget: 64 << 20)
        ).read()
    }

    private func filled() throws -> String {
        let fixture = try LibraryFixture(path: folder.path("mainDb.sqlite"))
        for number in 1...300 {
            try fixture.add([
                "FileName": "'\(number).epub'", "Description": "'\(String(repeating: "x", count: 400))'",
            ])
        }
        fixture.close()
        return fixture.path
    }

    @Test("A file that is not a database is an error") func notADatabase() throws {
        let path = folder.path("mainDb.sqlite")
        try Data(String(repeating: "not a database. ", count: 1000).utf8).write(
            to: URL(fileURLWithPath: path))
        let failure = try failure(path)
        #expect(failure.code == .damaged)
        #expect(failure.native?.number.map { $0 & 0xff } == Int64(SQLITE_NOTADB))
    }

    @Test("A database with overwritten pages is an error") func overwrittenPages() throws {
        let path = try filled()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in stride(from: 8192, to: bytes.count, by: 1) { bytes[index] = 0xAA }
        try bytes.write(to: URL(fileURLWithPath: path))
        let failure = try failure(path)
        #expect(failure.code == .damaged)
        #expect(failure.native?.number.map { $0 & 0xff } == Int64(SQLITE_CORRUPT))
    }

    @Test("A database that is cut at any length gives no false books and never traps")
    func cutDatabase() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: try filled()))
        for size in stride(from: 0, to: whole.count, by: 1777) {
            let path = folder.path("cut-\(size)")
            try whole.prefix(size).write(to: URL(fileURLWithPath: path))
            let result = Result { try read(path) }
            if case .success(let library) = result {
                #expect(library.books.allSatisfy { $0.fileName == "\($0.id ?? 0).epub" }, "\(size)")
            }
        }
    }

    @Test("A view in place of the table is not executed") func view() throws {
        let fixture = try LibraryFixture(
            path: folder.path("mainDb.sqlite"),
            schema: """
                CREATE VIEW Books AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT i AS ID, 'x' || i AS FileName FROM n;
                """)
        let failure = try failure(fixture.path)
        #expect(failure.code == .damaged)
        #expect(failure.message.contains("view"))
    }

    @Test("A library without a table of books is an error") func noTable() throws {
        let fixture = try LibraryFixture(
            path: folder.path("mainDb.sqlite"), schema: "CREATE TABLE Other (ID)")
        #expect(try failure(fixture.path) == .damaged("Marvin's library has no table of books."))
    }

    @Test("More text than the budget allows is an error") func budget() throws {
        #expect(try failure(filled(), budget: 10_000).message.contains("expands"))
    }

    @Test("Cancelling ends the reading") func cancelling() throws {
        let fixture = try LibraryFixture(path: folder.path("mainDb.sqlite"))
        try fixture.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                + "INSERT INTO Books (FileName) SELECT 'f' || i FROM n")
        fixture.close()
        let failure = try #require(throws: DatabaseError.self) {
            try LibraryDatabaseReader(
                DeviceDatabase(
                    path: fixture.path, name: LibraryDatabaseReader.name, byteBudget: 64 << 20,
                    isCancelled: { true })
            ).read()
        }
        #expect(failure.code == .cancelled)
    }
}
