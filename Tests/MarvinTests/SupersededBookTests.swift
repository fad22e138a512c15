import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing
import UploadPlanning

@testable import Marvin

@Suite("A replaced book is removed, or its row says that it still exists")
struct SupersededBookTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        try marvin.add("comic.cbz", uuid: "u-1", content: "old")
    }

    private func replace(_ uuids: String...) throws -> (rows: [ItemResult], error: OverlayError?) {
        try host.upload(try uuids.map { try host.item($0) }, UploadOptions(onConflict: .replace))
    }

    @Test("The row names the old copy if Marvin crashes at a later book of the batch")
    func deathInTheBatch() throws {
        marvin.interruption = .dies
        marvin.interruptionAfter = 1
        let (rows, error) = try replace("u-1", "u-2")
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.outcome) == [.replaced, .failed])
        #expect(rows[0].path == "u-1.epub")
        #expect(
            rows[0].message?.contains("'comic.cbz', may still be there. Remove it with 'overlayhost delete'")
                == true)
        #expect(try marvin.documents() == ["comic.cbz", "u-1.epub"])
        #expect(host.log.contains { $0.contains("the old one could not be removed") })
    }

    @Test("The old copy is deleted when a later book of the batch is rejected")
    func rejectionInTheBatch() throws {
        marvin.rejections["u-2.epub"] = "not a valid EPUB"
        let (rows, error) = try replace("u-1", "u-2")
        #expect(error == nil && rows.map(\.outcome) == [.replaced, .failed])
        #expect(rows[0].message == DuplicateMessages.tookPlace(of: "T"))
        #expect(try marvin.documents() == ["u-1.epub"])
    }

    @Test("The row says so when Marvin does not delete the old copy") func notDeleted() throws {
        marvin.onCommand = { [unowned marvin] command in
            if case .deleteBooks = command { marvin.isHonest = false }
        }
        let (rows, error) = try replace("u-1")
        #expect(error == nil && rows.map(\.outcome) == [.replaced])
        #expect(rows[0].message?.contains("'comic.cbz'") == true)
        #expect(rows[0].message?.contains("Marvin did not delete it.") == true)
    }

    @Test("The old copy stays, and the row says so, while the new one has another size")
    func otherSize() throws {
        marvin.onCommand = { [unowned host] command in
            guard case .uploadBooks = command else { return }
            attempt { try Data("short".utf8).write(to: host.url("Library/calibre/u-1.epub")) }
        }
        let (rows, _) = try replace("u-1")
        #expect(rows[0].message?.contains("'comic.cbz'") == true)
        #expect(try marvin.documents().contains("comic.cbz"))
        #expect(!marvin.commands.map(\.name).contains(.deleteBooks))
    }

    @Test("The covers of books that arrived are kept if Marvin crashes") func coversRemembered() throws {
        let image = SyncingTests.image
        marvin.interruption = .dies
        marvin.interruptionAfter = 1
        var item = try host.item("u-2")
        item.book.coverData = image
        let (rows, _) = try host.upload([item, host.item("u-3")])
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(host.storageWrites.contains("sent-covers"))
    }
}
