import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Reading and adding work where iOS opens only the documents, and other abilities give a reason")
struct AccessTests {
    let host: MarvinTestHost
    let fingerprint = Fingerprint(vendorID: 0x05AC, serial: "00008020001122334455002E")

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.roots = [
            RootAccess(root: .container, granted: false, reason: "iOS refuses it."),
            RootAccess(root: .documents, granted: true),
        ]
        host.metadata = { bytes in
            guard bytes.starts(with: [0x50, 0x4B]) else { return nil }
            return Book(
                uuid: "own", title: "Own title", authors: ["Tolkien, J. R. R."], tags: ["x"],
                coverMediaType: "image/jpeg", coverSize: 7, coverData: SyncingTests.image)
        }
    }

    private func add(_ name: String, _ bytes: [UInt8] = ZipFixture.epub()) throws {
        try Data(bytes).write(to: host.url("Documents/\(name)"))
    }

    private func list(_ options: BooksOptions = BooksOptions()) throws -> [Book] {
        var books: [Book] = []
        try host.overlay().books(options) { books.append($0) }
        return books
    }

    @Test("An app that opens only its documents is present, inside and outside connection mode")
    func presence() throws {
        #expect(try host.overlay().canHandle(fingerprint).answer == .yes)
    }

    @Test("EPUBs among the documents are listed with their own metadata") func listing() throws {
        try add("b.epub")
        try add("A.EPUB", Array("broken".utf8))
        try add("notes.txt")
        let books = try list()
        #expect(books.map(\.path) == ["A.EPUB", "b.epub"])
        #expect(books.map(\.title) == ["A", "Own title"])
        #expect(books[1].authors == ["Tolkien, J. R. R."] && books[1].tags == ["x"])
        #expect(books[1].size == UInt64(ZipFixture.epub().count) && books[1].coverData == nil)
        #expect(books[1].coverMediaType == "image/jpeg")
        #expect(try list(BooksOptions(withCovers: true))[1].coverData == SyncingTests.image)
    }

    @Test("An unchanged file is not read again") func unchangedFile() throws {
        try add("a.epub")
        let first = try list(BooksOptions(withCovers: true))
        host.metadataReads = 0
        #expect(try list(BooksOptions(withCovers: true)) == first)
        #expect(host.metadataReads == 0)
        try add("a.epub", ZipFixture.epub("another"))
        #expect(try list().count == 1)
        #expect(host.metadataReads == 1)
        host.cache["books.json"]?[0] ^= 1
        #expect(try list().map(\.title) == ["Own title"])
        #expect(host.metadataReads == 2)
    }

    @Test("A book is added among the documents, and its row says what that means") func dropping() throws {
        let (rows, error) = try host.upload(
            [host.item("u-1"), host.item("u-2", Array("%PDF-".utf8))], UploadOptions(collections: ["Mine"]))
        #expect(error == nil)
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(rows[0].path == "u-1.epub")
        #expect(rows[0].message?.contains("the next time it starts") == true)
        #expect(rows[0].message?.contains("collections") == true)
        #expect(try Data(contentsOf: host.url("Documents/u-1.epub")) == Data(ZipFixture.epub("u-1")))
    }

    @Test("A book that is already among the documents is never overwritten") func noOverwriting() throws {
        try add("u-1.epub", Array("old".utf8))
        #expect(try host.upload([host.item("u-1")]).rows.map(\.outcome) == [.skipped])
        for conflict in [ConflictPolicy.replace, .update] {
            let (rows, error) = try host.upload([host.item("u-1")], UploadOptions(onConflict: conflict))
            #expect(error == nil)
            #expect(rows.map(\.status) == [.notSupported])
            #expect(rows[0].hint?.isEmpty == false)
        }
        #expect(try Data(contentsOf: host.url("Documents/u-1.epub")) == Data("old".utf8))
    }

    @Test("A book among the documents is found by its content, or by its title and authors")
    func alreadyThere() throws {
        try add("Dune.epub")
        var other = try host.item("u-1")
        (other.book.title, other.book.authors) = ("own  title", ["Tolkien, J. R. R."])
        let same = try host.item("u-2", ZipFixture.epub())
        let (rows, error) = try host.upload([other, same], UploadOptions(collections: ["Mine"]))
        #expect(error == nil)
        #expect(
            rows.map(\.outcome) == [.skipped, .skipped] && rows.map(\.path) == ["Dune.epub", "Dune.epub"])
        #expect(
            rows.map(\.message) == [
                "The book is already in Marvin's documents, with different content. It was not added to 'Mine'.",
                "The book is already in Marvin's documents. It was not added to 'Mine'.",
            ])
        #expect(host.log.contains { $0.contains("in Marvin's documents, because it has the same title") })
        for conflict in [ConflictPolicy.replace, .update] {
            let rows = try host.upload([other], UploadOptions(onConflict: conflict)).rows
            #expect(rows.map(\.status) == [.notSupported] && rows[0].path == "Dune.epub")
        }
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    @Test("A book that does not fit is not sent") func noRoom() throws {
        host.freeBytes = 10
        #expect(try host.upload([host.item("u-1")]).rows.map(\.status) == [.noSpace])
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    @Test("A book is fetched") func fetching() throws {
        try add("a.epub")
        var bytes: [UInt8] = []
        try host.overlay().getFile("a.epub") { chunk, _, _ in bytes += Array(chunk) }
        #expect(bytes == ZipFixture.epub())
        var rows: [ItemResult] = []
        try host.overlay().prepareAddableBooks(["a.epub"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.fetched])
    }

    @Test("Deleting and changing are refused with the reason") func refusals() throws {
        try add("a.epub")
        var rows: [ItemResult] = []
        var error = try #require(throws: OverlayError.self) {
            try host.overlay().deleteBooks(["a.epub"]) { rows.append($0) }
        }
        #expect(error.status == .notSupported && error.message.contains("library"))
        #expect(rows.map(\.status) == [.notSupported])
        error = try #require(throws: OverlayError.self) {
            try host.overlay().syncBooklists([Book(path: "a.epub", title: "x")]) { _ in }
        }
        #expect(error.status == .accessRefused)
        #expect(FileManager.default.fileExists(atPath: host.url("Documents/a.epub").path))
    }

    @Test("The settings name each missing ability and the reason, without a request") func settings() throws {
        host.resetCounts()
        let settings = try host.overlay().settings()
        #expect(settings.missing.map(\.ability) == [.delete, .update, .collections])
        #expect(settings.missing.allSatisfy { !$0.reason.isEmpty && $0.hint?.contains("8.3") == true })
        #expect(settings.settableMetadata == [])
        #expect(host.requests == 0)
        host.roots = [RootAccess(root: .container, granted: false, reason: "Locked.")]
        #expect(try host.overlay().settings().missing.count == 7)
        host.roots = [RootAccess(root: .container, granted: true)]
        #expect(try host.overlay().settings().missing.isEmpty)
        #expect(try host.overlay().settings().settableMetadata?.count == MetadataField.allCases.count)
    }

    @Test("An app that keeps everything below its documents has all abilities there")
    func everythingBelowDocuments() throws {
        host.texts = [
            "marvin_staging_folder": ["/Documents/calibre/"],
            "marvin_database_path": ["/Documents/mainDb.sqlite"],
        ]
        guard case .library(let paths) = try host.overlay().access() else {
            Issue.record("the library is not reached")
            return
        }
        #expect(paths.root == .documents && paths.staging == "/Documents/calibre")
        #expect(paths.covers == ["/Documents/com.appstafarian.marvin.covers"])
        #expect(paths.booklistCopy == "/Documents/calibre.mm/overlayhost.booklist")
        #expect(try host.overlay().settings().missing.isEmpty)
    }

    @Test(
        "A place that cannot be a path is refused, and the error names the preference",
        arguments: ["calibre", "/../x", "/Library//x", "/", "/a/\u{1}"])
    func impossiblePlace(place: String) throws {
        host.texts = ["marvin_staging_folder": [place]]
        let error = try #require(throws: OverlayError.self) { try host.overlay().canHandle(fingerprint) }
        #expect(error.status == .invalidArgument && error.message.contains("marvin_staging_folder"))
    }
}
