import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Only changed collections that a host hands back are applied")
struct ShownCollectionsTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin
    let overlay: MarvinOverlay

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        overlay = try host.overlay()
        try marvin.add("a.epub", uuid: "u", title: "Old")
        try marvin.library.setCollections(["First", "NEW"], of: "a.epub")
    }

    private func list(_ overlay: MarvinOverlay? = nil) throws -> Book {
        var books: [Book] = []
        try (overlay ?? self.overlay).books(BooksOptions()) { books.append($0) }
        return try #require(books.first)
    }

    private func sync(_ collections: [String], title: String? = nil) throws -> [Outcome] {
        var rows: [ItemResult] = []
        try overlay.syncBooklists([Book(path: "a.epub", title: title, collections: collections)]) {
            rows.append($0)
        }
        host.ended.formUnion(host.names)
        return rows.map(\.outcome)
    }

    /// The current content of the library, as another program sees it.
    private func now() throws -> [String] { try list(host.overlay()).collections ?? [] }

    @Test("Changing the title keeps a book in the collections that it has joined since the listing")
    func newTitle() throws {
        let shown = try #require(try list().collections)
        try marvin.library.setCollections(["First", "Mine", "NEW"], of: "a.epub")
        #expect(try sync(shown, title: "New") == [.updated])
        #expect(try now() == ["First", "Mine", "NEW"])
        #expect(try list(host.overlay()).title == "New")
    }

    @Test("Adding or removing one collection leaves the others as they are") func othersChanges() throws {
        _ = try list()
        try marvin.library.setCollections(["First", "Mine", "READ"], of: "a.epub")
        #expect(try sync(["NEW", "Mine", "Added"]) == [.updated])
        #expect(try now() == ["Added", "Mine", "READ"])
    }

    @Test("An unchanged list changes nothing") func unchangedList() throws {
        let shown = try #require(try list().collections)
        try marvin.library.setCollections([], of: "a.epub")
        #expect(try sync(shown) == [])
        #expect(try now() == [])
    }

    @Test("A change can be undone without another listing") func takingBack() throws {
        _ = try list()
        #expect(try sync(["First", "NEW", "X"]) == [.updated])
        #expect(try sync(["First", "NEW"]) == [.updated])
        #expect(try now() == ["First", "NEW"])
    }

    @Test("A change that failed can be requested again") func failedChange() throws {
        _ = try list()
        marvin.refusal = .failure
        #expect(try sync(["First", "NEW", "X"]) == [.failed])
        marvin.refusal = nil
        #expect(try sync(["First", "NEW", "X"]) == [.updated])
    }

    @Test("Without a listing, or after an upload, the whole list is taken") func withoutListing() throws {
        #expect(try sync(["Only"]) == [.updated])
        #expect(try now() == ["Only"])
        _ = try list()
        let (rows, _) = try host.upload(
            [host.item("u")], UploadOptions(onConflict: .replace, collections: ["More"]), by: overlay)
        #expect(rows.map(\.outcome) == [.replaced])
        try marvin.library.setCollections(["More", "NEW", "Only"], of: "a.epub")
        #expect(try sync(["Only"]) == [.updated])
        #expect(try now() == ["Only"])
    }
}
