import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing
import UploadPlanning

@testable import Marvin

@Suite("An existing book is changed or replaced as asked, and loses nothing")
struct UploadReplacementTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    /// Weakness 16 in docs/weaknesses.md.
    @Test("A book that is updated by its title keeps its real path, and is found there afterwards")
    func updateByTitle() throws {
        try marvin.add("real name.epub", uuid: "o", title: "Title", content: "old")
        let named = try item("u-1") {
            $0.title = "Title"
            $0.authors = ["A"]
            $0.publisher = "New"
        }
        let rows = try upload([named], .update)
        #expect(rows.map(\.outcome) == [.updated])
        #expect(rows[0].path == "real name.epub")
        #expect(marvin.updates.map { $0.books.map(\.fileName) } == [["real name.epub"]])
        #expect(marvin.updates[0].books[0].uuid == "o")
        var bytes: [UInt8] = []
        try host.overlay().getFile("real name.epub") { chunk, _, _ in bytes += Array(chunk) }
        #expect(bytes == Array("old".utf8))
        var deleted: [ItemResult] = []
        try host.overlay().deleteBooks(["real name.epub"]) { deleted.append($0) }
        #expect(deleted.map(\.outcome) == [.deleted])
    }

    /// Weakness 29 in docs/weaknesses.md.
    @Test("An update sends only metadata, without the file and without an unchanged cover")
    func updateSendsNoFile() throws {
        try marvin.add("u-1.epub", uuid: "u-1", content: "old")
        let image = SyncingTests.image
        func known() throws -> UploadItem {
            try item("u-1") {
                $0.publisher = "New"
                $0.coverData = image
            }
        }
        #expect(try upload([known()], .update).map(\.outcome) == [.updated])
        let hash = try EmbeddedCover.hash(of: image)
        #expect(marvin.updates.first?.books.first?.cover?.hash == hash)
        #expect(!host.operations.contains { $0.hasPrefix("push") })
        #expect(try content("u-1.epub") == Data("old".utf8))
        let again = try upload([known()], .update)
        #expect(again.map(\.outcome) == [.skipped])
        #expect(again[0].message?.contains("already in Marvin's library, unchanged") == true)
        #expect(marvin.updates.count == 1)
    }

    @Test(
        "Collections of an updated book are joined or replaced, and flags always stay",
        arguments: [true, false])
    func collections(merges: Bool) throws {
        try marvin.add("u-1.epub", uuid: "u-1")
        try marvin.library.setCollections(["READ", "Mine"], of: "u-1.epub")
        host.switches["marvin_merge_collections"] = merges
        let asked = try item("u-1") { $0.collections = ["Asked"] }
        #expect(try upload([asked], .update).map(\.outcome) == [.updated])
        let sent = try #require(
            marvin.rebuilds.first?.books.first?.collections ?? marvin.updates.first?.books.first?.collections)
        #expect(sent == (merges ? ["Asked", "Mine", "READ"] : ["Asked", "READ"]))
        #expect(try upload([item("u-1") { $0.publisher = "P" }], .update).map(\.outcome) == [.updated])
        #expect(marvin.updates.last?.books.first?.collections == sent)
    }

    @Test("A replacement of a book found by its title takes its place and its name") func byTitle() throws {
        try marvin.add("real name.epub", uuid: "o", title: "Title", content: "old")
        let named = try item("u-1") {
            $0.title = "Title"
            $0.authors = ["A"]
        }
        let rows = try upload([named], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].path == "real name.epub")
        #expect(try content("real name.epub") == Data(ZipFixture.epub("u-1")))
        #expect(try marvin.documents() == ["real name.epub"])
    }

    /// A library whose only book has values that a user entered, in an app that keeps no values of a replaced book.
    private func entered() throws {
        try marvin.add("u-1.epub", uuid: "u-1", title: "Mine", author: "Ann Author, Bo Writer")
        try marvin.library.run(
            "UPDATE Books SET CalibreSeries = 'Saga', CalibreSeriesIndex = '2.5', Rating = 4, Publisher = 'Old'"
        )
        try marvin.library.setSubjects(["x", "y"], of: "u-1.epub")
        marvin.startsReplacedBooksAnew = true
    }

    @Test("A replaced book keeps what was entered and its new file does not say")
    func enteredValues() throws {
        try entered()
        let rows = try upload(
            [
                item("u-1") {
                    $0.title = "New"
                    $0.publisher = "Press"
                }
            ], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].message == DuplicateMessages.tookPlace(of: "Mine"))
        #expect(marvin.commands.map(\.name) == [.uploadBooks, .updateMetadata])
        let sent = try #require(marvin.updates.first?.books.first)
        #expect(sent.series == "Saga" && sent.seriesIndex == 2.5 && sent.rating == 4)
        #expect(sent.author == "Ann Author, Bo Writer" && sent.subjects == ["x", "y"])
        // Values that the new file has are not reported.
        #expect(sent.publisher == "" && sent.title == "")
    }

    @Test("The row names what a replaced book could not keep") func lostValues() throws {
        try entered()
        marvin.onCommand = { [unowned marvin] command in
            if case .updateMetadata = command { marvin.refusal = .failure }
        }
        let rows = try upload([item("u-1")], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(
            rows[0].message?.contains(
                "were not set in Marvin: authors, authors' sort names, series, series index, publisher, tags, rating."
            ) == true)
    }

    /// Weakness 5 in docs/weaknesses.md.
    @Test("A book that cannot be replaced under its name is deleted only after the new copy is there")
    func superseded() throws {
        try marvin.add("comic.cbz", uuid: "u-1", content: "old")
        marvin.rejections = ["u-1.epub": "not a valid EPUB"]
        var rows = try upload([item("u-1") { $0.authors = ["A"] }], .replace)
        #expect(rows.map(\.status) == [.rejected])
        #expect(rows[0].path == "comic.cbz")
        #expect(try marvin.documents() == ["comic.cbz"])
        marvin.rejections = [:]
        rows = try upload([item("u-1") { $0.authors = ["A"] }], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].path == "u-1.epub")
        #expect(try marvin.documents() == ["u-1.epub"])
        let kinds = marvin.commands.map(\.name)
        #expect(kinds == [.uploadBooks, .uploadBooks, .deleteBooks])
        guard case .deleteBooks(let command)? = marvin.commands.last else { return }
        #expect(command.books.map(\.fileName) == ["comic.cbz"] && command.books[0].uuid == "")
    }

    /// Weakness 24 in docs/weaknesses.md.
    @Test("Replacing many books takes one command, and reads the library twice")
    func replacingMany() throws {
        for number in 0..<20 { try marvin.add("u-\(number).epub", uuid: "u-\(number)") }
        host.resetCounts()
        let rows = try upload((0..<20).map { try item("u-\($0)") }, .replace)
        #expect(rows.allSatisfy { $0.outcome == .replaced })
        #expect(marvin.commands.map(\.name) == [.uploadBooks])
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count <= 2)
    }
}
