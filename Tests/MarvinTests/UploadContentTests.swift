import MarvinCommands
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("The values sent with a new book, and the values that Marvin takes, are correct")
struct UploadContentTests: UploadsToMarvin {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    @Test("The hint says to restart Marvin when Marvin cannot open its library") func restartHint() throws {
        marvin.refusal = .failure
        marvin.messages = ["The library cannot be opened."]
        #expect(
            try host.upload([item("u-1")]).rows.map(\.hint) == [
                "Restart Marvin on the device, then run the same command again."
            ])
    }

    @Test("Lock, word count and cover are sent with a new book") func newBook() throws {
        let image = SyncingTests.image
        host.metadata = { _ in Book(title: "own", coverMediaType: "image/jpeg", coverData: image) }
        let rows = try upload(
            [
                item("u-1") {
                    $0.isLocked = true
                    $0.wordCount = 4711
                    $0.coverData = image
                }, item("u-2") { $0.coverData = image + [0] }, item("u-3"),
            ], .protect)
        #expect(rows.allSatisfy { $0.outcome == .added })
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(command.books[0].isLocked && command.books[0].wordCount == 4711)
        let hash = try EmbeddedCover.hash(of: image)
        #expect(command.books[0].coverHash == hash && command.books[0].cover == nil)
        // The file has another cover, so this one is sent.
        #expect(command.books[1].cover?.data == image + [0] && command.books[1].coverHash == nil)
        #expect(command.books[2].coverHash == nil && command.books[2].cover == nil)
        #expect(command.books.allSatisfy { $0.collections == ["NEW"] })
    }

    @Test("Flags are set by the user, never by a column of a calibre library") func flags() throws {
        let book = try item("u-1") { $0.collections = ["read", "Mine", " Reading List "] }
        let (rows, _) = try host.upload([book], UploadOptions(collections: ["READ", "Asked"]))
        #expect(rows.map(\.outcome) == [.added])
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(command.books[0].collections == ["READ", "Asked", "Mine", "NEW"])
    }

    @Test("Files are recognised by their content alone") func recognition() throws {
        let rows = try upload([host.item("u-1", ZipFixture(["a.txt"]).bytes(), name: "a.epub")], .protect)
        #expect(rows.map(\.status) == [.unsupportedFormat])
        #expect(rows[0].message?.contains("ZIP archive without META-INF/container.xml") == true)
        #expect(host.sniffedByContent)
        #expect(
            try upload([host.item("u-2", ZipFixture.epub(), name: "b.pdf")], .protect).map(\.outcome) == [
                .added
            ])
    }
}
