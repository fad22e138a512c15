import MarvinCommands
import OverlayKitTesting
import Foundation
import OverlayKit
import SimulatedDevice
import TestSupport
import Testing

@testable import Marvin

@Suite("The overlay and the simulated Marvin understand each other")
struct AgreementTests {
    let host: MarvinTestHost
    let container: MarvinContainer

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.waitsForReal = true
        container = MarvinContainer(folder: host.container)
    }

    private func list(covers: Bool = false) throws -> [Book] {
        var books: [Book] = []
        try host.overlay().books(BooksOptions(withCovers: covers)) { books.append($0) }
        return books
    }

    private func uuid(_ number: Int) -> String { "11111111-1111-4111-8111-11111111111\(number)" }

    private func item(_ number: Int, text: String = "x") throws -> UploadItem {
        try host.item(
            uuid(number), ZipFixture.book("Book \(number)", uuid: uuid(number), text: text),
            name: "\(number).epub")
    }

    @Test(
        "Every kind of library is listed completely",
        arguments: [
            [], .writeAheadLog, .uncheckpointedLog, .nullTitles, .danglingCollections, .missingColumns,
            .coverBlobs,
            [.uncheckpointedLog, .nullTitles, .danglingCollections],
        ] as [MarvinDatabaseTraits])
    func listing(traits: MarvinDatabaseTraits) throws {
        let version = traits.contains(.coverBlobs) ? "1.9.2" : "2.7.1"
        host.device.appVersion = version
        let container = MarvinContainer(folder: host.container, version: version)
        let names = try MarvinLibrary(container, traits: traits).populateSynthetic(
            count: 30, coverBytes: 2000)
        let books = try list(covers: true)
        try #require(books.map(\.path) == names)
        #expect(books.allSatisfy { $0.size == 0 || $0.coverData?.isEmpty == false })
        #expect(books.allSatisfy { $0.coverMediaType == "image/jpeg" && ($0.size ?? 0) > 0 })
        if !traits.contains(.nullTitles) {
            #expect(books[0].title == "Synthetic Book 00001")
            #expect(books[0].authors == ["Author 1"])
        }
        #expect(books[1].collections?.contains("READ") == true)
        #expect(books[1].collections?.contains("Shelf 1") == true)
        if !traits.contains(.missingColumns) { #expect(books[0].tags == ["Deutsch", "Subject 0"]) }
        #expect(try list().map(\.coverSize) == books.map(\.coverSize))
    }

    @Test("A book is added, listed, fetched, replaced and deleted") func lifeOfABook() throws {
        let marvin = SimulatedMarvin(container: container)
        try marvin.start()
        defer { marvin.stop() }
        let items = [try item(1), try item(2)]
        let (rows, error) = try host.upload(items, UploadOptions(collections: ["Sea & \"Sky'"]))
        #expect(error == nil && rows.map(\.outcome) == [.added, .added], "\(rows)")
        let books = try list()
        try #require(books.count == 2)
        #expect(books.map(\.path) == rows.map(\.path))
        #expect(books.map(\.title) == ["Book 1", "Book 2"])
        #expect(books[0].collections == ["NEW", "Sea & \"Sky'"])
        #expect(try host.upload(items).rows.map(\.outcome) == [.skipped, .skipped])
        #expect(
            try host.upload(
                [item(1, text: "new"), items[1]], UploadOptions(onConflict: .replace)
            ).rows.map(\.outcome) == [.replaced, .skipped])
        #expect(try list()[0].collections == ["NEW", "Sea & \"Sky'"])
        var bytes: [UInt8] = []
        try host.overlay().getFile(#require(rows[0].path)) { chunk, _, _ in bytes += Array(chunk) }
        #expect(bytes == ZipFixture.book("Book 1", uuid: uuid(1), text: "new"))
        var deleted: [ItemResult] = []
        try host.overlay().deleteBooks(rows.compactMap(\.path)) { deleted.append($0) }
        #expect(deleted.map(\.outcome) == [.deleted, .deleted])
        #expect(try list().isEmpty)
    }

    @Test("A file that Marvin cannot open is rejected with Marvin's own message") func rejection() throws {
        let marvin = SimulatedMarvin(container: container)
        try marvin.start()
        defer { marvin.stop() }
        let (rows, error) = try host.upload([item(1), host.item(uuid(2), ZipFixture.epub("no package"))])
        #expect(error == nil)
        try #require(rows.map(\.status) == [.ok, .rejected])
        #expect(rows[1].message?.contains("valid EPUB") == true)
    }

    @Test(
        "The rows stay true when Marvin misbehaves",
        arguments: [
            ("normal", [.added, .added], nil), ("warnings", [.added, .added], nil),
            ("half-written-status", [.added, .added], nil),
            ("dies-before-deleting-the-command", [.added, .added], nil),
            ("failure", [.failed, .failed], nil), ("cancelled", [.added, .failed], nil),
            ("goes-offline", [.added, .failed], .appUnavailable),
            ("leaves-connection-mode", [.added, .failed], .appUnavailable),
            ("dies", [.added, .failed], .timedOut), ("never-answers", [.failed, .failed], .timedOut),
        ] as [(String, [Outcome], OverlayStatus?)])
    func misbehaviour(
        name: String, outcomes: [Outcome], status: OverlayStatus?
    ) throws {
        let marvin = SimulatedMarvin(
            container: container, behaviour: try #require(MarvinBehaviour(named: name)))
        try marvin.start()
        defer { marvin.stop() }
        let overlay = try host.overlay()
        // The watchdog's fifteen seconds would only make the test slow.
        overlay.timing.watchdog = .milliseconds(1500)
        overlay.timing.connectionCheck = .milliseconds(100)
        let items = [try item(1), try item(2)]
        let (rows, failure) = try host.upload(items, by: overlay)
        #expect(rows.map(\.outcome) == outcomes, "\(rows)")
        #expect(failure?.status == status)
        let staged = try FileManager.default.contentsOfDirectory(atPath: container.staging.path)
        #expect(Set(staged).isSubset(of: ["connected.xml"]), "\(staged)")
        marvin.behaviour = MarvinBehaviour()
        let second = try host.upload(items)
        #expect(second.error == nil)
        #expect(second.rows.allSatisfy { $0.status == .ok })
        #expect(try list().count == 2)
    }

    @Test("Books are changed as requested, once") func changes() throws {
        let marvin = SimulatedMarvin(container: container)
        try marvin.start()
        defer { marvin.stop() }
        _ = try host.upload([item(1), item(2)])
        let paths = try list().compactMap(\.path)
        let image = [0xFF, 0xD8, 0xFF] + Array("cover".utf8) + [0xFF, 0xD9]
        let wanted = [
            Book(
                path: paths[0], title: "It's \"both\"", authors: ["Ann A", "Bo B"], series: "Saga",
                seriesIndex: 2.5,
                publisher: "P & Q", pubdate: "0999-12-31", description: "<p>]]></p>", tags: ["b", "a"],
                collections: ["READ", "Sea & Sky"], rating: 3.5, coverData: image, isLocked: true,
                wordCount: 12),
            Book(path: paths[1], collections: ["READING LIST"]),
        ]
        var rows: [ItemResult] = []
        try host.overlay().syncBooklists(wanted) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.updated, .updated], "\(rows)")
        let books = try list(covers: true)
        #expect(books[0].title == "It's \"both\"" && books[0].authors == ["Ann A", "Bo B"])
        #expect(books[0].pubdate == "0999-12-31" && books[0].collections == ["READ", "Sea & Sky"])
        #expect(books[0].rating == 3.5 && books[0].isLocked == true && books[0].wordCount == 12)
        #expect(books[0].coverData == image && books[0].tags == ["a", "b"])
        #expect(books[1].collections == ["READING LIST"])
        rows = []
        try host.overlay().syncBooklists(wanted) { rows.append($0) }
        #expect(rows.isEmpty)
    }

    @Test("Annotations are delivered when the host asks for them") func annotations() throws {
        let names = try MarvinLibrary(container).populateSynthetic(count: 2, coverBytes: 100)
        let library = try LibraryFixture(path: container.database.path, schema: "", mode: "DELETE")
        try library.run(
            """
            INSERT INTO Highlights (BookID, Text, Note, NoteDateTime, Colour, Section, Deleted)
                VALUES (1, 'words', NULL, 1700000000.5, 2, 3, 0), (1, 'more', 'my note', 0, 1, 4, 0), (1, 'gone', '', 0, 1, 4, 1);
            INSERT INTO Bookmarks (BookID, Colour, Location, SectionNumber, Text) VALUES (2, 1, '12', 5, 'here');
            """)
        library.close()
        var books: [Book] = []
        try host.overlay().books(BooksOptions(withAnnotations: true)) { books.append($0) }
        #expect(books.map(\.path) == names)
        #expect(books[0].annotations.map(\.kind) == ["highlight", "note"])
        #expect(books[0].annotations[0].text == "words" && books[0].annotations[0].modified == 1_700_000_000)
        #expect(books[0].annotations[1].note == "my note" && books[0].annotations[1].location == "section 4")
        #expect(books[1].annotations.first?.kind == "bookmark")
        #expect(books[1].annotations.first?.location == "section 5, 12")
        #expect(try list().allSatisfy { $0.annotations.isEmpty })
    }

    @Test("An app that keeps everything below its documents is served there")
    func everythingBelowDocuments() throws {
        let container = MarvinContainer(folder: host.container, place: .documents)
        let marvin = SimulatedMarvin(container: container)
        try marvin.start()
        defer { marvin.stop() }
        host.roots = [
            RootAccess(root: .container, granted: false), RootAccess(root: .documents, granted: true),
        ]
        host.texts = [
            "marvin_staging_folder": ["/Documents/calibre"],
            "marvin_database_path": ["/Documents/mainDb.sqlite"],
        ]
        #expect(try host.upload([item(1)]).rows.map(\.outcome) == [.added])
        let book = try #require(try list(covers: true).first)
        #expect(book.title == "Book 1" && book.coverData?.isEmpty == false)
        var rows: [ItemResult] = []
        try host.overlay().syncBooklists([Book(path: book.path, title: "New", collections: ["X"])]) {
            rows.append($0)
        }
        #expect(rows.map(\.outcome) == [.updated])
        try host.overlay().deleteBooks([try #require(book.path)]) { rows.append($0) }
        #expect(rows.last?.outcome == .deleted)
        #expect(try list().isEmpty)
    }
}
