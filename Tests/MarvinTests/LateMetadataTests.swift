import BookFolders
import MarvinCommands
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Metadata that a file lacks reach Marvin after the file")
struct LateMetadataTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        // The metadata of every file.
        host.metadata = { _ in Book(title: "Inner", authors: ["Ann Author"]) }
    }

    private func upload(_ change: (inout Book) -> Void) throws -> ItemResult {
        var item = try host.item("u-1", name: "u-1.epub")
        item.book.title = "Inner"
        item.book.authors = ["Ann Author"]
        change(&item.book)
        let (rows, error) = try host.upload([item], UploadOptions(onConflict: .protect))
        if let error { throw error }
        return try #require(rows.first)
    }

    @Test("A new book gets what a calibre library has of it and the file does not say")
    func calibre() throws {
        let row = try upload {
            $0.title = "Outer"
            ($0.series, $0.seriesIndex, $0.rating) = ("Saga", 1.5, 4)
            $0.tags = ["x", "y"]
            $0.publisher = "Press"
        }
        #expect(row.outcome == .added && row.message == nil)
        #expect(marvin.commands.map(\.name) == [.uploadBooks, .updateMetadata])
        let sent = try #require(marvin.updates.first?.books.first)
        #expect(sent.title == "Outer" && sent.series == "Saga" && sent.seriesIndex == 1.5)
        #expect(sent.rating == 4 && sent.subjects == ["x", "y"] && sent.publisher == "Press")
    }

    @Test("A rating is sent although the file has it, because Marvin does not read it there")
    func rating() throws {
        host.metadata = { _ in Book(title: "Inner", authors: ["Ann Author"], rating: 4) }
        #expect(try upload { $0.rating = 4 }.outcome == .added)
        #expect(marvin.commands.map(\.name) == [.uploadBooks, .updateMetadata])
        #expect(marvin.updates.first?.books.first?.rating == 4)
    }

    @Test("A book whose file says all that is known needs one command")
    func same() throws {
        #expect(try upload { _ in }.outcome == .added)
        #expect(marvin.commands.map(\.name) == [.uploadBooks])
    }

    @Test("The row of a book names values that did not reach Marvin, and the book exists")
    func refused() throws {
        marvin.onCommand = { [unowned marvin] command in
            if case .updateMetadata = command { marvin.refusal = .failure }
        }
        let row = try upload { $0.publisher = "Press" }
        #expect(row.outcome == .added)
        #expect(row.message?.hasPrefix("These fields were not set in Marvin: publisher. ") == true)
    }
}
