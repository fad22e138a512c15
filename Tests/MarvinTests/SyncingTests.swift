import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Books are changed as requested, and only confirmed changes count")
struct SyncingTests {
    static let image: [UInt8] = [0xFF, 0xD8, 0xFF, 1, 2, 3, 0xFF, 0xD9]
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        for (name, title) in [("a.epub", "One"), ("b.epub", "Two"), ("c.epub", "Three")] {
            try marvin.add(name, uuid: "uuid-\(title)", title: title, author: "Ann Author, Bo Writer")
        }
        try marvin.library.run(
            """
            UPDATE Books SET AuthorSort = 'Author, Ann & Writer, Bo', CalibreSeries = 'Saga', CalibreSeriesIndex = '2.5',
                Publisher = 'P', DatePublished = '1325376000', Description = '<p>x</p>', Rating = 4, IsRead = 1, Pin = 1,
                WordCount = 1234
            """)
        try marvin.library.setCollections(["READ", "Sea & Sky"], of: "a.epub")
        try marvin.library.setSubjects(["Zoo", "Art"], of: "a.epub")
    }

    private func sync(
        _ books: [Book], by overlay: MarvinOverlay? = nil
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        var rows: [ItemResult] = []
        do throws(OverlayError) {
            try (attempt { try overlay ?? host.overlay() })?.syncBooklists(books) { rows.append($0) }
        } catch {
            return (rows.sorted { $0.index < $1.index }, error)
        }
        return (rows.sorted { $0.index < $1.index }, nil)
    }

    private func wanted(_ path: String, _ change: (inout Book) -> Void) -> Book {
        var book = Book(path: path)
        change(&book)
        return book
    }

    private func listed(_ path: String) throws -> Book {
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        return try #require(books.first { $0.path == path })
    }

    @Test("One command carries everything about a book, including what does not change")
    func oneCommand() throws {
        let (rows, error) = try sync([wanted("a.epub") { $0.title = "It's \"both\" <here>" }])
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.updated])
        #expect(rows[0].path == "a.epub")
        let book = try #require(marvin.updates.first?.books.first)
        #expect(book.title == "It's \"both\" <here>" && book.titleSort == "It's \"both\" <here>")
        #expect(book.author == "Ann Author, Bo Writer" && book.authorSort == "Author, Ann & Writer, Bo")
        #expect(book.series == "Saga" && book.seriesIndex == 2.5 && book.publisher == "P" && book.rating == 4)
        #expect(book.publicationDate?.description == "2012-01-01" && book.description == "<p>x</p>")
        #expect(book.collections == ["READ", "Sea & Sky"] && book.subjects == ["Art", "Zoo"])
        #expect(book.uuid == "uuid-One" && book.cover == nil)
        #expect(book.isLocked == nil && book.wordCount == nil)
        #expect(marvin.updates.first?.cleansUpCollections == true)
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("Each value is set, and found in the library afterwards") func eachValue() throws {
        let (rows, error) = try sync([
            wanted("a.epub") {
                $0.title = "New"
                $0.titleSort = "New, The"
                $0.authors = ["Dee D", "Eve E"]
                $0.authorSort = "D, Dee & E, Eve"
                $0.series = "Other"
                $0.seriesIndex = 3
                $0.publisher = "Q"
                $0.pubdate = "0987-03-04"
                $0.description = "<p>]]> & more</p>"
                $0.tags = ["B", "A"]
                $0.collections = ["NEW", "Land"]
                $0.rating = 2.5
                $0.isLocked = false
                $0.wordCount = 99
                $0.coverData = Self.image
            }
        ])
        #expect(error == nil)
        try #require(rows.map(\.outcome) == [.updated], "\(rows)")
        let sent = try #require(marvin.updates.first)
        #expect(String(decoding: sent.encoded(), as: UTF8.self).contains("pubdate=\"0987-03-04\""))
        let hash = try EmbeddedCover.hash(of: Self.image)
        #expect(sent.books[0].cover == EmbeddedCover(hash: hash, data: Self.image))
        #expect(sent.books[0].isLocked == false && sent.books[0].wordCount == 99)
        let book = try listed("a.epub")
        #expect(book.title == "New" && book.titleSort == "New, The" && book.authors == ["Dee D", "Eve E"])
        #expect(book.series == "Other" && book.seriesIndex == 3 && book.publisher == "Q")
        #expect(book.pubdate == "0987-03-04" && book.description == "<p>]]> & more</p>")
        #expect(book.tags == ["A", "B"] && book.collections == ["Land", "NEW"] && book.rating == 2.5)
        #expect(book.isLocked == false && book.wordCount == 99)
    }

    @Test("Empty values remove what was set") func emptyValues() throws {
        let (rows, _) = try sync([
            wanted("a.epub") {
                $0.series = ""
                $0.publisher = ""
                $0.pubdate = ""
                $0.description = ""
                $0.tags = []
                $0.collections = []
                $0.rating = 0
            }
        ])
        #expect(rows.map(\.outcome) == [.updated], "\(rows)")
        let book = try listed("a.epub")
        #expect(book.series == nil && book.seriesIndex == nil && book.publisher == nil && book.pubdate == nil)
        #expect(book.description == nil && book.tags == [] && book.collections == [] && book.rating == nil)
    }

    @Test("A book that needs no change has no row and sends nothing") func nothingToDo() throws {
        let same = try listed("a.epub")
        #expect(try sync([same]).rows.isEmpty)
        #expect(marvin.commands.isEmpty)
    }

    @Test("The small command is sent for the books whose collections and flags alone differ")
    func smallCommand() throws {
        let (rows, _) = try sync([
            wanted("a.epub") { $0.collections = ["Sea & Sky", "READ"] },
            wanted("b.epub") { $0.collections = ["new", "Reading List", " Land ", "Land"] },
            wanted("c.epub") { $0.collections = [] },
        ])
        #expect(rows.map(\.index) == [1, 2] && rows.allSatisfy { $0.outcome == .updated })
        #expect(marvin.updates.isEmpty)
        #expect(marvin.rebuilds.map { $0.books.map(\.fileName) } == [["b.epub", "c.epub"]])
        #expect(marvin.rebuilds[0].books[0].collections == ["Land", "NEW", "READING LIST"])
        #expect(try listed("b.epub").collections == ["Land", "NEW", "READING LIST"])
        #expect(try listed("c.epub").collections == [])
    }

    @Test("Changes are sent in batches, large ones first") func batches() throws {
        host.integers["upload_batch_size"] = 2
        let (rows, _) = try sync(
            ["a.epub", "b.epub", "c.epub"].map { path in wanted(path) { $0.publisher = "New" } })
        #expect(rows.count == 3 && rows.allSatisfy { $0.outcome == .updated })
        #expect(marvin.updates.map(\.books.count) == [2, 1])
    }

    @Test("A cover is sent once, and again only when another one was set since") func covers() throws {
        marvin.coverName = { _ in "opaque" }
        func set() throws -> [ItemResult] {
            try sync([wanted("a.epub") { $0.coverData = Self.image }]).rows
        }
        // The library may have another name for it.
        #expect(try set().map(\.outcome) == [.updated])
        #expect(try set().isEmpty)
        try marvin.library.run("UPDATE Books SET CalibreCoverHash = 'of somebody else'")
        #expect(try set().map(\.outcome) == [.updated])
    }

    @Test("Without a column for covers, a cover counts as sent until the library shows another one")
    func coversWithoutColumn() {
        guard let services = attempt({ try HostServices(host.record()) }) else { return }
        var covers = SentCovers(services)
        let book = LibraryBook(fileName: "a.epub")
        #expect(covers.isNew("h", for: book))
        covers.note("h", for: book)
        covers.save()
        #expect(!SentCovers(services).isNew("h", for: book))
        #expect(SentCovers(services).isNew("other", for: book))
        var changed = book
        changed.coverHash = "x"
        #expect(SentCovers(services).isNew("h", for: changed))
        changed.coverHash = "OTHER"
        #expect(!SentCovers(services).isNew("other", for: changed))
        host.cache["sent-covers"]?[20] ^= 1
        #expect(SentCovers(services).isNew("h", for: book))
    }

    @Test("Books that are missing, named twice or given impossible values fail alone")
    func refusedAlone() throws {
        let (rows, error) = try sync([
            wanted("no.epub") { $0.title = "x" }, wanted("a.epub") { $0.rating = 9 },
            wanted("b.epub") { $0.pubdate = "soon" }, wanted("c.epub") { $0.title = "Good" },
            wanted("c.epub") { $0.title = "Twice" }, wanted("a.epub") { $0.coverData = [1, 2, 3] },
        ])
        #expect(error == nil)
        #expect(
            rows.map(\.status) == [
                .notFound, .invalidArgument, .invalidArgument, .ok, .invalidArgument, .invalidArgument,
            ])
        #expect(marvin.updates.map { $0.books.map(\.title) } == [["Good"]])
    }

    @Test("Each rejected book has the reason in its own row") func rejections() throws {
        marvin.rejections = ["a.epub": "locked [really]"]
        marvin.messages = ["The library is nearly full"]
        let (rows, error) = try sync(
            ["a.epub", "b.epub"].map { path in wanted(path) { $0.publisher = "New" } })
        #expect(error == nil)
        #expect(rows.map(\.status) == [.rejected, .ok])
        #expect(rows[0].message == "Marvin rejected the change: 'locked [really]'")
        #expect(rows[1].message == "Marvin reports: 'The library is nearly full'")
    }

    @Test("Success that the library does not show is a failure, and the row names what is missing")
    func falseSuccess() throws {
        marvin.isHonest = false
        let (rows, error) = try sync([
            wanted("a.epub") {
                $0.title = "New"
                $0.titleSort = "One"
                $0.series = "Other"
            }
        ])
        #expect(error == nil)
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(
            rows[0].message
                == "Marvin reported success, but has not changed the title, the sort title and the series.")
    }

    @Test("The rows are correct if Marvin crashes in the middle") func deathInTheMiddle() throws {
        marvin.interruption = .dies
        marvin.interruptionAfter = 1
        let (rows, error) = try sync(
            ["a.epub", "b.epub"].map { path in wanted(path) { $0.publisher = "New" } })
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.status) == [.ok, .timedOut])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("Stopping the command in Marvin stops the batches that follow")
    func stoppedOnDevice() throws {
        host.integers["upload_batch_size"] = 1
        marvin.interruption = .cancels
        let (rows, error) = try sync(
            ["a.epub", "b.epub"].map { path in wanted(path) { $0.publisher = "New" } })
        #expect(error?.status == .rejected)
        #expect(rows.map(\.status) == [.rejected, .rejected])
        #expect(rows[1].message?.hasPrefix("The book was not changed.") == true)
        #expect(marvin.commands.count == 1)
    }

    @Test("A change waits for another program's command, and sends nothing while that is not finished")
    func waiting() throws {
        let other = UploadBooks(timestamp: CommandTimestamp(seconds: 1), books: [])
        try Data(other.encoded()).write(to: host.url("Library/calibre/upload_books.xml"))
        marvin.answers = false
        let (rows, error) = try sync([wanted("a.epub") { $0.title = "New" }])
        #expect(error?.status == .busy)
        #expect(rows.map(\.status) == [.busy])
        #expect(marvin.commands.isEmpty)
    }

    @Test("Collections are not changed when the user has switched that off") func switchedOff() throws {
        host.switches["marvin_edit_collections_cb"] = false
        #expect(try sync([wanted("a.epub") { $0.collections = ["X"] }]).rows.isEmpty)
        #expect(try host.overlay().settings().missing.map(\.ability) == [.collections])
        #expect(try host.overlay().settings().settableMetadata?.contains("collections") == false)
    }

    @Test("Names are sorted by their last word unless the host says how") func sortNames() throws {
        _ = try sync([wanted("a.epub") { $0.authors = ["Dee van D", "Doe, John", "Plato"] }])
        #expect(marvin.updates.first?.books.first?.authorSort == "D, Dee van & Doe, John & Plato")
    }
}
