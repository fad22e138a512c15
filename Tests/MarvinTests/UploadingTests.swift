import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("An upload sends EPUBs to Marvin and reports the result of each")
struct UploadingTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private func upload(
        _ items: [UploadItem], _ options: UploadOptions = UploadOptions()
    ) throws -> [ItemResult] {
        let (rows, error) = try host.upload(items, options)
        if let error { throw error }
        return rows
    }

    private func failing(
        _ items: [UploadItem], _ options: UploadOptions = UploadOptions()
    ) throws -> (rows: [ItemResult], error: OverlayError) {
        let (rows, error) = try host.upload(items, options)
        return (rows, try #require(error))
    }

    @Test("Books are added and found afterwards, and nothing is left in the staging folder")
    func adding() throws {
        let rows = try upload([host.item("u-1"), host.item("u-2")])
        #expect(rows.map(\.outcome) == [.added, .added])
        #expect(rows.map(\.path) == ["u-1.epub", "u-2.epub"])
        #expect(try marvin.documents() == ["u-1.epub", "u-2.epub"])
        #expect(try marvin.staged() == ["connected.xml"])
        #expect(try Data(contentsOf: host.url("Documents/u-1.epub")) == Data(ZipFixture.epub("u-1")))
        #expect(host.progress.last?.completed == 2)
    }

    @Test("The second of two equal items is skipped where the first is added, and fails where it fails")
    func equalItems() throws {
        marvin.rejections = ["u-1.epub": "not a valid EPUB"]
        let rows = try upload([host.item("u-1"), host.item("u-2"), host.item("U-1"), host.item("u-2")])
        #expect(rows.map(\.outcome) == [.failed, .added, .failed, .skipped])
        #expect(rows.map(\.path) == [nil, "u-2.epub", nil, "u-2.epub"])
        #expect(rows[2].status == rows[0].status)
        #expect(rows[2].message?.contains("not a valid EPUB") ?? false)
        #expect(rows[3].message == "An earlier file in this upload has the same content.")
    }

    @Test("Each collection is requested once, and NEW always") func collections() throws {
        var item = try host.item("u-1")
        item.book.collections = ["Sea & Sky", "Mine"]
        _ = try upload([item], UploadOptions(collections: ["Mine", " ", "NEW"]))
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(command.books.first?.collections == ["Mine", "Sea & Sky", "NEW"])
        #expect(!command.overwrite)
    }

    @Test("A replaced book keeps its collections and flags, and gets the requested ones")
    func replacedBookKeeps() throws {
        try marvin.add("u-1.epub", uuid: "u-1")
        try marvin.library.run(
            """
            UPDATE Books SET ID = 7, IsRead = 1, ReadingList = 1;
            INSERT INTO Collections VALUES (1, 'Neu'), (2, 'Mine'), (3, 'Of others');
            INSERT INTO BookCollections VALUES (7, 1), (7, 2);
            """)
        var item = try host.item("u-1")
        item.book.collections = ["Mine", "Asked"]
        #expect(try upload([item], UploadOptions(onConflict: .replace)).map(\.outcome) == [.replaced])
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(
            command.books.first?.collections == ["Mine", "Asked", "Neu", "READ", "READING LIST", "NEW"])
    }

    @Test("A message of Marvin without a book is in the row of each book that was taken")
    func generalMessage() throws {
        marvin.messages = ["the library is nearly full", "[other.epub] is damaged"]
        marvin.rejections = ["u-2.epub": "not a valid EPUB"]
        let rows = try upload([host.item("u-1"), host.item("u-2")])
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(
            rows.map(\.message) == [
                "Marvin reports: 'the library is nearly full', '[other.epub] is damaged'",
                "Marvin rejected the book: 'not a valid EPUB'",
            ])
    }

    @Test("The row says when there are many messages") func manyMessages() throws {
        marvin.messages = (1...500).map { "Warning \($0)" }
        let row = try #require(try upload([host.item("u-1")]).first)
        #expect(
            row.message == "Marvin reports: 'Warning 1', 'Warning 2', 'Warning 3' and 497 more messages.")
    }

    @Test(
        "Batches have the size that the user set",
        arguments: [(5, 2, 3), (4, 2, 2), (3, 100, 1), (2, 0, 2), (2, -7, 2)])
    func batchSize(count: Int, size: Int64, commands: Int) throws {
        host.integers["upload_batch_size"] = size
        let rows = try upload((0..<count).map { try host.item("u-\($0)") })
        #expect(rows.allSatisfy { $0.outcome == .added })
        #expect(marvin.commands.count == commands)
    }

    @Test("A batch has a hundred books unless the user sets another size") func defaultBatchSize() throws {
        _ = try upload((0..<101).map { try host.item("u-\($0)") })
        #expect(marvin.commands.map(\.fileNames.count) == [100, 1])
    }

    @Test("The row of a file that is not an EPUB names its format, and the file is not sent")
    func otherFormats() throws {
        let rows = try upload([
            host.item("u-1", Array("%PDF-1.4".utf8), name: "a.epub"), host.item("u-2"),
            host.item("u-3", Array(ZipFixture.epub().dropLast(9))),
        ])
        #expect(rows.map(\.status) == [.unsupportedFormat, .ok, .damaged])
        #expect(rows[0].message == "This is a PDF document, not an EPUB.")
        #expect(rows[0].path == nil && rows[0].hint != nil)
        #expect(try marvin.documents() == ["u-2.epub"])
    }

    @Test("A file of the host that cannot be read fails alone") func unreadableFile() throws {
        var item = try host.item("u-1")
        item.file = HostFile(rawValue: 4711)
        #expect(try upload([item, host.item("u-2")]).map(\.outcome) == [.failed, .added])
    }

    @Test("Protected books are skipped without a command to Marvin") func protected() throws {
        try marvin.add("u-1.epub", uuid: "other")
        try marvin.add("by another way.epub", uuid: "U-2")
        let rows = try upload([host.item("u-1"), host.item("u-2")])
        #expect(rows.map(\.outcome) == [.skipped, .skipped])
        #expect(rows.map(\.path) == ["u-1.epub", "by another way.epub"])
        #expect(marvin.commands.isEmpty)
    }

    @Test("With update an existing book gets its metadata, and a new one is added") func update() throws {
        try marvin.add("u-1.epub", uuid: "u-1")
        let rows = try upload([host.item("u-1"), host.item("u-2")], UploadOptions(onConflict: .update))
        #expect(rows.map(\.outcome) == [.updated, .added])
        #expect(rows.map(\.path) == ["u-1.epub", "u-2.epub"])
        #expect(marvin.commands.map(\.name) == [.uploadBooks, .updateMetadata])
    }

    @Test("A replaced book keeps the name of its file") func replacedName() throws {
        try marvin.add("by another way.epub", uuid: "u-1")
        let rows = try upload([host.item("u-1")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows.map(\.path) == ["by another way.epub"])
        #expect(try marvin.documents() == ["by another way.epub"])
        #expect(
            try Data(contentsOf: host.url("Documents/by another way.epub")) == Data(ZipFixture.epub("u-1")))
    }

    @Test("The same book twice in one upload is sent once") func sameBookTwice() throws {
        #expect(try upload([host.item("u-1"), host.item("U-1")]).map(\.outcome) == [.added, .skipped])
    }

    @Test("An upload to a memory card is refused, item by item") func memoryCard() throws {
        let (rows, error) = try failing([host.item("u-1")], UploadOptions(volume: .cardA))
        #expect(error.status == .notSupported)
        #expect(rows.map(\.status) == [.notSupported])
    }

    @Test("An offline Marvin gets nothing, and every item says so") func offline() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        _ = try FakeMarvin(host, state: .offline)
        var rows: [ItemResult] = []
        let overlay = try host.overlay()
        let items = [try host.item("u-1"), try host.item("u-2")]
        let error = try #require(throws: OverlayError.self) {
            try overlay.uploadBooks(items, options: UploadOptions()) { rows.append($0) }
        }
        #expect(error.status == .appUnavailable && error.hint != nil)
        #expect(rows.map(\.status) == [.appUnavailable, .appUnavailable])
        #expect(!host.operations.contains { $0.hasPrefix("push") || $0.hasPrefix("write") })
    }

    @Test("A cancelled upload withdraws what it staged") func cancelling() throws {
        host.grace = 50
        marvin.answers = false
        host.onWait = { [unowned host] in host.isCancelled = true }
        let (rows, error) = try failing([host.item("u-1"), host.item("u-2")])
        #expect(error.status == .cancelled)
        #expect(rows.map(\.status) == [.cancelled, .cancelled])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A cancelled upload that can withdraw nothing names what is left, and the next one finishes it")
    func cancellingWithoutWithdrawal() throws {
        marvin.answers = false
        host.onWait = { [unowned host] in host.isCancelled = true }
        let (rows, error) = try failing([host.item("u-1")])
        #expect(error.status == .cancelled)
        #expect(rows[0].message?.contains("may or may not") == true)
        #expect(rows[0].hint?.contains("staging folder") == true)
        #expect(try marvin.staged().contains("upload_books.xml"))
        host.isCancelled = false
        marvin.answers = true
        host.onWait = { [unowned marvin] in marvin.turn() }
        // Marvin performs the waiting command, and then there is nothing left to do.
        #expect(try upload([host.item("u-1")]).map(\.outcome) == [.skipped])
        #expect(try marvin.documents() == ["u-1.epub"])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A cable pulled while files are copied leaves no command behind") func pulledWhileCopying() throws {
        host.before = { [unowned host] operation, path in
            if operation == "push", path.contains("u-2") { host.isGone = true }
        }
        let (rows, error) = try failing([host.item("u-1"), host.item("u-2")])
        #expect(error.status == .deviceGone)
        #expect(rows.map(\.status) == [.deviceGone, .deviceGone])
        #expect(rows[0].hint?.contains("again to finish") == true)
        #expect(rows[1].hint == "Run the same command again.")
        #expect(try marvin.staged() == [".overlayhost-claim", "connected.xml", "u-1.epub"])
        host.isGone = false
        host.before = { _, _ in }
        #expect(try upload([host.item("u-1"), host.item("u-2")]).map(\.outcome) == [.added, .added])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("The row of an interrupted copy names the file that may be left")
    func interruptedCopy() throws {
        host.grace = 50
        host.interruptedPushHint = "The file .u-2.part may be left."
        host.before = { [unowned host] operation, path in
            guard operation == "push", path.contains("u-2") else { return }
            (host.isCancelled, host.grace) = (true, 0)
        }
        let (rows, error) = try failing([host.item("u-1"), host.item("u-2"), host.item("u-3")])
        #expect(error.status == .cancelled)
        #expect(rows.map(\.status) == [.cancelled, .cancelled, .cancelled])
        #expect(rows[0].hint?.contains("is waiting in Marvin's staging folder") == true)
        #expect(rows[1].message == "The book was not sent. The operation was cancelled.")
        #expect(rows[1].hint == "The file .u-2.part may be left.")
        #expect(rows[2].hint == "Run the same command again.")
    }

    @Test("The rows say “not known” when the cable is pulled while Marvin works")
    func pulledWhileWorking() throws {
        marvin.onCommand = { [unowned host] _ in host.isGone = true }
        let (rows, error) = try failing([host.item("u-1"), host.item("u-2"), host.item("u-3")])
        #expect(error.status == .deviceGone)
        #expect(
            rows.allSatisfy { $0.status == .deviceGone && $0.message?.contains("may or may not") == true })
    }

    @Test(
        "Stopping the command on the device stops the upload, without an interruption of the host")
    func stoppedOnDevice() throws {
        marvin.interruption = .cancels
        marvin.interruptionAfter = 1
        host.integers["upload_batch_size"] = 2
        let rows = try upload((0..<4).map { try host.item("u-\($0)") })
        #expect(rows.map(\.status) == [.ok, .rejected, .rejected, .rejected])
        #expect(rows[1].message == "The command was cancelled on the device.")
        #expect(rows[3].message == "The book was not sent. The command was cancelled on the device.")
        #expect(rows[3].hint == "Run the same command again.")
        #expect(marvin.commands.count == 1)
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A Marvin that goes offline in the middle keeps what it took") func offlineInTheMiddle() throws {
        marvin.interruption = .offline
        marvin.interruptionAfter = 1
        let (rows, error) = try failing([host.item("u-1"), host.item("u-2")])
        #expect(error.status == .appUnavailable)
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    @Test("A batch that Marvin refuses does not stop the next one") func refusedBatch() throws {
        host.integers["upload_batch_size"] = 1
        marvin.refusal = .failure
        marvin.messages = ["The library cannot be opened."]
        marvin.onCommand = { [unowned marvin] command in
            if command.fileNames == ["u-2.epub"] {
                marvin.refusal = nil
                marvin.messages = []
            }
        }
        let rows = try upload([host.item("u-1"), host.item("u-2")])
        #expect(rows.map(\.status) == [.rejected, .ok])
        #expect(rows[0].message?.contains("cannot be opened") == true)
    }

    @Test("A host that wants no more rows ends the upload after the batch") func stopping() throws {
        host.integers["upload_batch_size"] = 1
        let items = [try host.item("u-1"), try host.item("u-2")]
        let overlay = try host.overlay()
        let error = try #require(throws: OverlayError.self) {
            try overlay.uploadBooks(items, options: UploadOptions()) { _ throws(OverlayError) in
                throw OverlayError(.stopped, "Enough.")
            }
        }
        #expect(error.status == .stopped)
        #expect(marvin.commands.count == 1)
    }

    @Test("Polls begin quickly and never take longer than a quarter of a second") func polling() throws {
        marvin.answers = false
        _ = try failing([host.item("u-1")])
        #expect(host.waits.first == .milliseconds(20))
        #expect(host.waits.max() == .milliseconds(250))
    }
}
