import BookModel
import CSQLite
import Foundation
import HostErrors
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("A calibre library is read from a copy, and nothing is written in it")
struct CalibreSourceTests {
    private let temporary: TemporaryFolder
    init() throws { temporary = try TemporaryFolder() }

    private func list(
        _ library: MadeLibrary, formats: [String] = ["epub", "pdf"], search: [String] = [],
        attempts: Int = 300
    ) throws -> SourceListing {
        try CalibreSource.list(
            library.path, formats: formats, search: try LibrarySearch(search), wantsColumns: true,
            temporary: temporary.path, attempts: attempts)
    }

    private func titles(_ listing: SourceListing) -> [String] {
        listing.entries.compactMap { $0.book?.title }
    }

    @Test("Everything that the database knows about a book is read")
    func metadata() throws {
        let library = try MadeLibrary()
        try library.add(
            7, "Emma", uuid: "AAAAAAAA-0000-4000-8000-000000000007", tags: ["Novel", "Bath"],
            series: ("Novels", 2.5), formats: ["PDF", "EPUB", "MOBI"])
        try library.run(
            """
            INSERT INTO authors (name) VALUES ('Smith| John');
            INSERT INTO books_authors_link (book, author) SELECT 7, id FROM authors WHERE name = 'Smith| John';
            INSERT INTO publishers (name) VALUES ('Murray');
            INSERT INTO books_publishers_link (book, publisher) VALUES (7, 1);
            INSERT INTO ratings (rating) VALUES (9); INSERT INTO books_ratings_link (book, rating) VALUES (7, 1);
            INSERT INTO comments (book, text) VALUES (7, '<p>Good</p>'); UPDATE books SET has_cover = 1;
            INSERT INTO custom_columns (label, name, datatype, is_multiple, normalized) VALUES
              ('shelf', 'Shelf', 'text', 1, 1), ('locked', 'Locked', 'bool', 0, 0), ('words', 'Words', 'int', 0, 0),
              ('sum', 'Sum', 'composite', 0, 0);
            CREATE TABLE custom_column_1 (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE books_custom_column_1_link (id INTEGER PRIMARY KEY, book INTEGER, value INTEGER);
            INSERT INTO custom_column_1 (value) VALUES ('Two'), ('One');
            INSERT INTO books_custom_column_1_link (book, value) VALUES (7, 1), (7, 2);
            CREATE TABLE custom_column_2 (id INTEGER PRIMARY KEY, book INTEGER, value BOOL);
            INSERT INTO custom_column_2 (book, value) VALUES (7, 1);
            CREATE TABLE custom_column_3 (id INTEGER PRIMARY KEY, book INTEGER, value INT);
            INSERT INTO custom_column_3 (book, value) VALUES (7, 1234);
            """)
        try Data("jpeg".utf8).write(
            to: library.folder.url.appendingPathComponent("Jane Austen/Emma (7)/cover.jpg"))
        let entry = try #require(try list(library).entries.first)
        #expect(
            entry.book
                == Book(
                    uuid: "aaaaaaaa-0000-4000-8000-000000000007", title: "Emma", titleSort: "Emma",
                    authors: ["Jane Austen", "Smith, John"], authorSort: "Jane Austen", series: "Novels",
                    seriesIndex: 2.5, publisher: "Murray", pubdate: "1815-12-23", description: "<p>Good</p>",
                    tags: ["Bath", "Novel"], rating: 4.5))
        #expect(entry.item == "Jane Austen/Emma (7)/Emma.epub")
        #expect(entry.cover?.file.hasSuffix("/cover.jpg") == true)
        #expect(
            entry.columns == [
                LibraryColumn(lookupName: "#shelf", heading: "Shelf", value: .texts(["One", "Two"])),
                LibraryColumn(lookupName: "#locked", heading: "Locked", value: .flag(true)),
                LibraryColumn(lookupName: "#words", heading: "Words", value: .number(1234)),
            ])
        #expect(
            try list(library, formats: ["mobi"]).entries.map(\.item) == ["Jane Austen/Emma (7)/Emma.mobi"])
        #expect(try list(library, formats: ["cbz"]).entries.isEmpty)
        #expect(try list(library, formats: ["cbz"]).present.count == 1)
    }

    @Test("A wanted book in no accepted format is named with its formats; one without files is not")
    func unsupported() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma", tags: ["Novel"], formats: ["MOBI", "TXT"])
        try library.add(2, "Susan", formats: ["EPUB", "MOBI"])
        try library.add(3, "Paper", formats: [])
        try library.add(4, "Comic", author: "Ann", formats: ["CBZ"])
        let listing = try list(library)
        #expect(
            listing.unsupported == [
                UnsupportedBook(item: "Ann/Comic (4)/Comic.cbz", formats: ["cbz"]),
                UnsupportedBook(item: "Jane Austen/Emma (1)/Emma.mobi", formats: ["mobi", "txt"]),
            ])
        #expect(try list(library, search: ["tag:novel"]).unsupported.map(\.formats) == [["mobi", "txt"]])
        #expect(listing.present.count == 4 && listing.entries.count == 1)
    }

    @Test("The second of two books with one uuid is known by its number, and both are kept")
    func sharedUUID() throws {
        let library = try MadeLibrary()
        let uuid = "aaaaaaaa-0000-4000-8000-000000000001"
        try library.add(1, "Emma", uuid: uuid)
        try library.add(2, "Sanditon", uuid: uuid)
        let listing = try list(library)
        #expect(listing.entries.map(\.key) == [uuid, "calibre:2"])
        #expect(listing.entries.map { $0.book?.uuid } == [uuid, nil])
        // The second book is still known by its number when the first is gone.
        try library.run("DELETE FROM books WHERE id = 1")
        let rest = try CalibreSource.list(
            library.path, formats: ["epub"], search: try LibrarySearch([]), wantsColumns: true,
            temporary: temporary.path, isKnown: { $0 == ExactText("calibre:2") })
        #expect(rest.entries.map(\.key) == ["calibre:2"] && rest.present == [ExactText("calibre:2")])
        #expect(listing.present.count == 2)
    }

    @Test("Calibre's date for an unknown one, and a series index without a series, are ignored")
    func unknown() throws {
        let library = try MadeLibrary()
        try library.add(1, "A")
        try library.run("UPDATE books SET pubdate = '0101-01-01 00:00:00+00:00'")
        let book = try #require(try list(library).entries.first?.book)
        #expect(book.pubdate == nil && book.seriesIndex == nil)
    }

    @Test("A search finds books as calibre does, and other books still count as present")
    func search() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma", tags: ["Novel"], series: ("Works", 1))
        try library.add(2, "Nana", author: "Émile Zola", tags: ["Novella"])
        try library.add(3, "Faust", author: "Goethe")
        let ids = temporary.path("ids.txt")
        try Data("\u{FEFF}1\n3,\r\n".utf8).write(to: URL(fileURLWithPath: ids))
        for (search, found) in [
            (["tag:novel"], ["Emma", "Nana"]), (["tag:=novel"], ["Emma"]), (["tag:\"=Novel\""], ["Emma"]),
            (["author:zola"], ["Nana"]), (["series:works"], ["Emma"]), (["ids:" + ids], ["Faust", "Emma"]),
            (["tag:novel", "author:austen"], ["Emma"]), ([], ["Faust", "Emma", "Nana"]), (["tag:none"], []),
        ] {
            let listing = try list(library, search: search)
            #expect(Set(titles(listing)) == Set(found), "\(search)")
            #expect(listing.present.count == 3)
        }
        for wrong in ["novel", "title:Emma", "tag:", ""] {
            let error = #expect(throws: HostError.self) { try LibrarySearch([wrong]) }
            #expect(error?.code == .usage)
        }
        #expect(throws: HostError.self) { try LibrarySearch(["ids:/nowhere"]) }
        for list in ["1, x", "+5", "# 1", "-1", "1.5", "99999999999999999999"] {
            try Data(list.utf8).write(to: URL(fileURLWithPath: ids))
            let error = #expect(throws: HostError.self) { try LibrarySearch(["ids:" + ids]) }
            #expect(error?.code == .usage && error?.subject == ids)
        }
    }

    @Test("Nothing changes in a library that is read, with or without a write-ahead log")
    func untouched() throws {
        for mode in ["delete", "wal", "truncate", "persist"] {
            let library = try MadeLibrary()
            try library.run("PRAGMA journal_mode = \(mode)")
            try library.add(1, "Emma")
            let before = try library.look()
            #expect(before.keys.contains("metadata.db-wal") == (mode == "wal"))
            #expect(titles(try list(library)) == ["Emma"], "\(mode)")
            #expect(try library.look() == before, "\(mode)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
        }
    }

    @Test("A read-only library can be read", .enabled(if: geteuid() != 0))
    func readOnly() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma")
        chmod(library.database, 0o400)
        chmod(library.path, 0o500)
        defer { chmod(library.path, 0o700) }
        #expect(titles(try list(library)) == ["Emma"])
    }

    @Test("While a program prepares a change the old state is read; while it writes, the library is busy")
    func writer() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma")
        try library.run("BEGIN IMMEDIATE; UPDATE books SET title = 'Half'")
        #expect(FileManager.default.fileExists(atPath: library.database + "-journal"))
        #expect(titles(try list(library)) == ["Emma"])
        // A process that closes any descriptor of a file loses its locks, so this process cannot check twice.
        try library.run("COMMIT; BEGIN EXCLUSIVE; UPDATE books SET title = 'Other'")
        let error = #expect(throws: HostError.self) { try list(library, attempts: 1) }
        #expect(error?.code == .busy && error?.exitStatus == .tryAgain)
        try library.run("COMMIT")
        #expect(titles(try list(library)) == ["Other"])
    }

    @Test("An unfinished change of another program is undone only in the copy")
    func hotJournal() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma")
        // A change that is so large that SQLite writes part of it before the commit.
        try library.run("PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
        try library.run("BEGIN; UPDATE books SET title = 'Half'")
        for number in 0..<2000 {
            try library.run("INSERT INTO comments (book, text) VALUES (\(number + 10), hex(randomblob(400)))")
        }
        let torn = try TemporaryFolder()
        for name in ["metadata.db", "metadata.db-journal"] {
            try FileManager.default.copyItem(atPath: library.folder.path(name), toPath: torn.path(name))
        }
        let size = try FileManager.default.attributesOfItem(atPath: torn.path("metadata.db"))[.size] as? Int
        #expect((size ?? 0) > 200_000)
        let listing = try CalibreSource.list(
            torn.path, formats: ["epub"], search: try LibrarySearch([]), wantsColumns: false,
            temporary: temporary.path)
        #expect(listing.entries.compactMap { $0.book?.title } == ["Emma"])
        #expect(
            try FileManager.default.attributesOfItem(atPath: torn.path("metadata.db"))[.size] as? Int == size)
    }

    @Test("A writer that never pauses never causes an inconsistent state", arguments: ["delete", "wal"])
    func activeWriter(mode: String) throws {
        let library = try MadeLibrary()
        try library.run(
            "PRAGMA journal_mode = \(mode); CREATE TABLE filler (text); INSERT INTO filler VALUES (1)")
        for id in 1...20 { try library.add(id, "0") }
        let script = """
            import sqlite3, sys, itertools
            library = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
            print("ready", flush=True)
            for number in itertools.count(1):
                library.execute("BEGIN")
                library.execute("UPDATE books SET title = ?", (str(number),))
                library.execute("UPDATE filler SET text = randomblob(20000)")
                library.execute("COMMIT")
            """
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        writer.arguments = ["python3", "-c", script, library.database]
        let output = Pipe()
        writer.standardOutput = output
        writer.standardError = FileHandle.nullDevice
        try writer.run()
        defer {
            // The signals that a test's thread blocks are blocked in its child processes.
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
        }
        #expect(try output.fileHandleForReading.read(upToCount: 5)?.isEmpty == false)
        for _ in 0..<10 {
            do throws(HostError) {
                let listing = try CalibreSource.list(
                    library.path, formats: ["epub"], search: try LibrarySearch([]), wantsColumns: false,
                    temporary: temporary.path, attempts: 1000)
                #expect(Set(titles(listing)).count == 1 && listing.entries.count == 20)
            } catch {
                #expect(error.code == .busy)
            }
        }
        #expect(writer.isRunning)
    }

    @Test("A damaged database is an error at every length, and never a library with fewer books")
    func damaged() throws {
        let library = try MadeLibrary()
        for id in 1...30 { try library.add(id, "Book \(id)", tags: ["T\(id)"]) }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: library.database)))
        let broken = try TemporaryFolder()
        func read(_ bytes: ArraySlice<UInt8>) throws -> Int? {
            try Data(bytes).write(to: broken.url.appendingPathComponent("metadata.db"))
            do throws(HostError) {
                return try CalibreSource.list(
                    broken.path, formats: ["epub"], search: try LibrarySearch([]), wantsColumns: false,
                    temporary: temporary.path, attempts: 1
                ).present.count
            } catch {
                #expect(error.exitStatus == .noInput, "\(error)")
                return nil
            }
        }
        for length in stride(from: 0, to: bytes.count, by: 1000) {
            // The last pages may not contain anything that is read.
            let count = try read(bytes.prefix(length))
            #expect(count == nil || count == 30 && length > bytes.count * 9 / 10, "\(length) bytes")
        }
        #expect(try read(bytes[...]) == 30)
        #expect(try read(Array(repeating: 0x41, count: 100_000)[...]) == nil)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            var changed = bytes
            for _ in 0..<20 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = try read(changed[...])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test("A path of the database leads nowhere out of the library")
    func escapes() throws {
        let library = try MadeLibrary()
        for id in 1...5 { try library.add(id, "B\(id)") }
        try FileManager.default.createSymbolicLink(
            atPath: library.folder.path("out"), withDestinationPath: "/etc")
        try library.run(
            """
            UPDATE books SET path = '../x' WHERE id = 1; UPDATE books SET path = '/etc' WHERE id = 2;
            UPDATE books SET path = 'out' WHERE id = 3; UPDATE data SET name = '../../passwd' WHERE book = 4;
            """)
        let entries = try list(library).entries
        #expect(entries.count == 5)
        #expect(entries.count { $0.problem == nil } == 1)
    }

    @Test("A book whose file is missing is named, and is not gone")
    func missingFile() throws {
        let library = try MadeLibrary()
        try library.add(1, "Emma")
        try FileManager.default.removeItem(atPath: library.folder.path("Jane Austen/Emma (1)/Emma.epub"))
        let listing = try list(library)
        #expect(listing.entries.first?.problem?.code == .inputUnreadable)
        #expect(listing.present == [ExactText(MadeLibrary.uuid(1))])
    }
}
