import CommandProtocol
import Foundation
import OverlayKit
import Testing

@testable import Marvin

@Suite("Of the collections that a host hands back only what it changed is a wish")
struct ShownCollectionsTests {
    let host: FakeHost
    let marvin: FakeMarvin
    let overlay: MarvinOverlay

    init() throws {
        host = try FakeHost()
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

    /// What the library has now, as another program sees it.
    private func now() throws -> [String] { try list(host.overlay()).collections ?? [] }

    @Test func `a new title takes a book out of no collection that it got meanwhile`() throws {
        let shown = try #require(try list().collections)
        try marvin.library.setCollections(["First", "Mine", "NEW"], of: "a.epub")
        #expect(try sync(shown, title: "New") == [.updated])
        #expect(try now() == ["First", "Mine", "NEW"])
        #expect(try list(host.overlay()).title == "New")
    }

    @Test func `a collection that is added or taken away leaves the others as they are`() throws {
        _ = try list()
        try marvin.library.setCollections(["First", "Mine", "READ"], of: "a.epub")
        #expect(try sync(["NEW", "Mine", "Added"]) == [.updated])
        #expect(try now() == ["Added", "Mine", "READ"])
    }

    @Test func `a list that was handed back as it was is no change`() throws {
        let shown = try #require(try list().collections)
        try marvin.library.setCollections([], of: "a.epub")
        #expect(try sync(shown) == [])
        #expect(try now() == [])
    }

    @Test func `a change that was made can be taken back without another listing`() throws {
        _ = try list()
        #expect(try sync(["First", "NEW", "X"]) == [.updated])
        #expect(try sync(["First", "NEW"]) == [.updated])
        #expect(try now() == ["First", "NEW"])
    }

    @Test func `a change that failed is a wish again`() throws {
        _ = try list()
        marvin.refusal = .failure
        #expect(try sync(["First", "NEW", "X"]) == [.failed])
        marvin.refusal = nil
        #expect(try sync(["First", "NEW", "X"]) == [.updated])
    }

    @Test func `to a program that was shown nothing the whole list is the wish, and so after an upload`()
        throws
    {
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
