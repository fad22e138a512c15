import MarvinCommands
import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The simulated Marvin carries out the commands in its container")
struct MarvinCommandsTests {
    @Test(
        "A started Marvin is online with version and device, and a stopped one removes its connection file"
    )
    func connection() throws {
        let bench = try MarvinBench()
        let connection = try bench.connection()
        #expect(connection.state == .online)
        #expect(connection.appVersion == "2.7.1")
        #expect(connection.device == "iPad4,2")
        #expect(connection.hasPassword == false)
        bench.app.stop()
        #expect(!bench.exists(bench.staged("connected.xml")))
        try bench.app.start()
        #expect(try bench.connection().state == .online)
        #expect(bench.app.troubles.isEmpty)
    }

    @Test("Real books go from the staging folder into the library with their metadata")
    func uploadRealBooks() throws {
        let bench = try MarvinBench()
        let books = [
            (bookName(1), try RealBooks.history("de")), (bookName(2), try RealBooks.history("ja")),
            (bookName(3), try RealBooks.developersReference()),
        ]
        let outcome = try bench.upload(books) { $0.collections.append("Debian & Co") }
        #expect(outcome.ending == .completed)
        #expect(try bench.leftovers().isEmpty)
        for (name, file) in books {
            #expect(try Data(contentsOf: bench.document(name)) == Data(contentsOf: file))
            #expect(try bench.value("NewFlag", of: name) == .integer(1))
            #expect(try bench.value("IsRead", of: name) == .integer(0))
            #expect(try bench.value("UUID", of: name) == .text(String(name.dropLast(5))))
            #expect(try bench.collections(of: name) == ["Debian & Co"])
            let hash = try #require(try bench.value("Hash", of: name)?.text)
            for folder in [bench.container.smallCovers, bench.container.largeCovers] {
                #expect(try bench.exists(#require(folder).appendingPathComponent(hash + ".jpg")))
            }
        }
        #expect(try bench.value("Title", of: bookName(1)) == .text("Eine kurze Geschichte von Debian"))
        #expect(try bench.value("Title", of: bookName(2)) == .text("Debian 小史"))
        #expect(try bench.value("Author", of: bookName(3)) == .text("Developer's Reference Team"))
        let published = try #require(try bench.value("DatePublished", of: bookName(3))?.text)
        #expect(Int(published) != nil, "\(published)")
        #expect(try bench.value("Publisher", of: bookName(3)) == .text("Developer's Reference Team"))
        #expect(try bench.value("DatePublished", of: bookName(1)) == .null)
        #expect(bench.app.troubles.isEmpty)
    }

    @Test("Flags, locks, word counts and cover hashes of an upload are kept")
    func uploadAttributes() throws {
        let bench = try MarvinBench()
        let outcome = try bench.upload([(bookName(1), try RealBooks.history("en"))]) { entry in
            entry.collections = ["READ", "reading list", "Shelf"]
            entry.isLocked = true
            entry.wordCount = 1234
            entry.coverHash = "abc"
        }
        #expect(outcome.ending == .completed)
        #expect(try bench.value("NewFlag", of: bookName(1)) == .integer(0))
        #expect(try bench.value("IsRead", of: bookName(1)) == .integer(1))
        #expect(try bench.value("ReadingList", of: bookName(1)) == .integer(1))
        #expect(try bench.value("Pin", of: bookName(1)) == .integer(1))
        #expect(try bench.value("WordCount", of: bookName(1)) == .integer(1234))
        #expect(try bench.value("CalibreCoverHash", of: bookName(1)) == .text("abc"))
        #expect(try bench.collections(of: bookName(1)) == ["Shelf"])
    }

    @Test("A cover that comes with the command is the book's cover")
    func embeddedCover() throws {
        let bench = try MarvinBench()
        let cover = EmbeddedCover(hash: "c0ffee", data: PlainCover.small(seed: 7).jpeg())
        #expect(
            try bench.upload([(bookName(1), try RealBooks.history("en"))]) { $0.cover = cover }.ending
                == .completed)
        let hash = try #require(try bench.value("Hash", of: bookName(1))?.text)
        let folder = try #require(bench.container.smallCovers)
        #expect(try Data(contentsOf: folder.appendingPathComponent(hash + ".jpg")) == Data(cover.data))
        #expect(try bench.value("CalibreCoverHash", of: bookName(1)) == .text("c0ffee"))
    }

    @Test("A file that is not an EPUB is rejected by name, and the others are taken")
    func rejections() throws {
        let folder = try TemporaryFolder()
        let text = folder.url.appendingPathComponent("text")
        try Data("no archive".utf8).write(to: text)
        let half = folder.url.appendingPathComponent("half")
        try Data(contentsOf: RealBooks.history("fr")).prefix(30_000).write(to: half)
        let empty = folder.url.appendingPathComponent("empty")
        try Data().write(to: empty)
        let bench = try MarvinBench()
        let outcome = try bench.upload([
            (bookName(1), text), (bookName(2), try RealBooks.history("fr")), (bookName(3), half),
            (bookName(4), empty),
        ])
        #expect(outcome.ending == .completedWithWarnings)
        #expect(outcome.rejections.map(\.fileName) == [bookName(1), bookName(3), bookName(4)])
        #expect(outcome.rejections.allSatisfy { $0.reason.hasPrefix("not a valid EPUB") })
        #expect(try bench.query("SELECT FileName FROM Books") == [[.text(bookName(2))]])
        #expect(try bench.leftovers().isEmpty, "the host takes the rejected files away")
    }

    @Test("A book the library has is replaced if the command says so, and rejected if not")
    func overwrite() throws {
        let bench = try MarvinBench()
        let name = bookName(1)
        #expect(try bench.upload([(name, try RealBooks.history("en"))]).ending == .completed)
        let oldHash = try #require(try bench.value("Hash", of: name)?.text)
        let refused = try bench.upload([(name, try RealBooks.history("it"))])
        #expect(
            refused.rejections == [Rejection(fileName: name, reason: "the book is already in the library")])
        #expect(try Data(contentsOf: bench.document(name)) == Data(contentsOf: RealBooks.history("en")))
        #expect(try bench.upload([(name, try RealBooks.history("it"))], overwrite: true).ending == .completed)
        #expect(try Data(contentsOf: bench.document(name)) == Data(contentsOf: RealBooks.history("it")))
        #expect(try bench.query("SELECT ID FROM Books") == [[.integer(1)]])
        let folder = try #require(bench.container.smallCovers)
        #expect(!bench.exists(folder.appendingPathComponent(oldHash + ".jpg")))
    }

    @Test(
        "Names and files that lead out of the container are rejected",
        arguments: ["../escape.epub", "a/b.epub", "..", ""])
    func hostileNames(name: String) throws {
        let bench = try MarvinBench()
        let outcome = bench.send(
            .uploadBooks(
                UploadBooks(timestamp: MarvinBench.timestamp, books: [UploadBooks.Book(fileName: name)])))
        #expect(outcome.ending == .completedWithWarnings)
        #expect(try bench.query("SELECT 1 FROM Books").isEmpty)
    }

    @Test("A link in the staging folder is not followed")
    func links() throws {
        let bench = try MarvinBench()
        try FileManager.default.createSymbolicLink(
            at: bench.staged(bookName(1)), withDestinationURL: RealBooks.history("en"))
        let outcome = bench.send(
            .uploadBooks(
                UploadBooks(
                    timestamp: MarvinBench.timestamp, books: [UploadBooks.Book(fileName: bookName(1))])))
        #expect(outcome.rejections == [Rejection(fileName: bookName(1), reason: "file not found")])
    }

    @Test("A deleted book leaves no file, no cover and no row")
    func delete() throws {
        let bench = try MarvinBench()
        let files = try [RealBooks.history("en"), RealBooks.history("ko")]
        #expect(try bench.upload([(bookName(1), files[0]), (bookName(2), files[1])]).ending == .completed)
        let hash = try #require(try bench.value("Hash", of: bookName(1))?.text)
        let outcome = bench.delete(
            [bookName(1), "other-name.epub", "unknown.epub"], uuids: ["", String(bookName(2).dropLast(5))])
        #expect(outcome.ending == .completedWithWarnings)
        #expect(
            outcome.rejections == [Rejection(fileName: "unknown.epub", reason: "no such book in the library")]
        )
        #expect(try bench.query("SELECT 1 FROM Books").isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.container.documents.path).isEmpty)
        for folder in [bench.container.smallCovers, bench.container.largeCovers] {
            #expect(try !bench.exists(#require(folder).appendingPathComponent(hash + ".jpg")))
        }
        for table in MarvinSchema.dependents {
            #expect(try bench.query("SELECT 1 FROM \(table)").isEmpty)
        }
    }

    @Test("Updated metadata replaces all the host knows, and keeps what the command leaves out")
    func update() throws {
        let bench = try MarvinBench()
        #expect(
            try bench.upload([(bookName(1), try RealBooks.history("en"))]) {
                $0.collections = ["NEW", "Old shelf"]
                $0.wordCount = 77
            }.ending == .completed)
        var book = UpdateMetadata.Book(fileName: bookName(1), uuid: String(bookName(1).dropLast(5)))
        book.title = "It's \"both\" <here>"
        book.author = "Ann, Bo"
        book.series = "Saga"
        book.seriesIndex = 2.5
        book.rating = 4
        book.publicationDate = PublicationDate(year: 476, month: 9, day: 4)
        book.description = "<p>One ]]> two</p>"
        book.collections = ["READ", "New shelf"]
        book.subjects = ["Zoo", "Art & Craft"]
        book.cover = EmbeddedCover(hash: "beef", data: PlainCover.small(seed: 1).jpeg())
        let command = UpdateMetadata(
            timestamp: MarvinBench.timestamp, books: [book, UpdateMetadata.Book(fileName: "unknown.epub")])
        let outcome = bench.send(.updateMetadata(command))
        #expect(outcome.rejections.map(\.fileName) == ["unknown.epub"])
        let expected: [(String, SQLiteValue)] = [
            ("Title", .text("It's \"both\" <here>")), ("Author", .text("Ann, Bo")),
            ("CalibreSeries", .text("Saga")),
            ("CalibreSeriesIndex", .text("2.5")), ("Rating", .real(4)),
            ("DatePublished", .text("-47124720000")),
            ("Description", .text("<p>One ]]> two</p>")), ("IsRead", .integer(1)), ("NewFlag", .integer(0)),
            ("WordCount", .integer(77)), ("CalibreCoverHash", .text("beef")),
        ]
        for (column, value) in expected {
            #expect(try bench.value(column, of: bookName(1)) == value, "column \(column)")
        }
        #expect(try bench.collections(of: bookName(1)) == ["New shelf"])
        #expect(
            try bench.query("SELECT Subject FROM BookSubjects ORDER BY 1") == [
                [.text("Art & Craft")], [.text("Zoo")],
            ])
        #expect(
            try bench.query("SELECT Name FROM Collections") == [[.text("New shelf")]],
            "the empty one is cleaned up")
    }

    @Test("Rebuilt collections replace those of the named books only")
    func rebuild() throws {
        let bench = try MarvinBench()
        #expect(
            try bench.upload([
                (bookName(1), try RealBooks.history("en")), (bookName(2), try RealBooks.history("de")),
            ]) {
                $0.collections = ["NEW", "Shelf"]
            }.ending == .completed)
        let book = RebuildCollections.Book(
            fileName: bookName(1), title: "", author: "", uuid: "",
            collections: ["READING LIST", "Sea & Sky", "Shelf 2"])
        #expect(
            bench.send(
                .rebuildCollections(RebuildCollections(timestamp: MarvinBench.timestamp, books: [book]))
            ).isCompleted)
        #expect(try bench.collections(of: bookName(1)) == ["Sea & Sky", "Shelf 2"])
        #expect(try bench.collections(of: bookName(2)) == ["Shelf"])
        #expect(try bench.value("ReadingList", of: bookName(1)) == .integer(1))
        #expect(try bench.value("NewFlag", of: bookName(1)) == .integer(0))
    }

    @Test(
        "Covers are in the folder that the version of Marvin uses",
        arguments: [
            ("2.0.9", nil), ("2.1", "Library/Caches"), ("2.5.64", "Library/Caches"),
            ("2.5.65", "Library/Application Support"),
            ("2.10", "Library/Application Support"), ("3.0 beta", "Library/Application Support"),
        ] as [(String, String?)])
    func coversByVersion(version: String, folder: String?) throws {
        let bench = try MarvinBench(version: version)
        #expect(try bench.upload([(bookName(1), try RealBooks.history("en"))]).ending == .completed)
        guard let folder else {
            #expect(bench.container.smallCovers == nil)
            #expect(
                try bench.query("SELECT length(SmallCoverJpg) > 100, length(LargeCoverJpg) > 100 FROM Books")
                    == [[.integer(1), .integer(1)]])
            return
        }
        let covers = bench.container.folder.appendingPathComponent(folder).appendingPathComponent(
            "com.appstafarian.marvin.covers")
        #expect(try FileManager.default.contentsOfDirectory(atPath: covers.path).count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: covers.path + ".l").count == 1)
    }
}
