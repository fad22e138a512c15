import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

/// The known faults of the original driver for Marvin, with one test each.
@Suite("Known faults of the original driver do not exist here")
struct WeaknessTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private func content(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: host.url("Documents/\(name)")), as: UTF8.self)
    }

    /// Weakness 1 in docs/weaknesses.md.
    @Test("A status that never changes and an app that crashes end the wait at the watchdog's limit")
    func endlessWait() throws {
        marvin.interruption = .dies
        marvin.interruptionAfter = 1
        let (rows, error) = try host.upload([host.item("u-1"), host.item("u-2")])
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(host.clock < .seconds(30))
    }

    /// Weakness 1 in docs/weaknesses.md.
    @Test("A status that is never readable ends the wait as well")
    func endlessWaitForAReadableStatus() throws {
        marvin.answers = false
        host.onWait = { [unowned host] in
            attempt { try Data("<status code=".utf8).write(to: host.url("Library/calibre/status.xml")) }
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .timedOut)
        #expect(rows[0].hint != nil)
        #expect(host.clock < .seconds(30))
    }

    /// Weakness 2 in docs/weaknesses.md.
    @Test("A time-out withdraws the command and the staged books")
    func staleCommandsAfterATimeOut() throws {
        marvin.answers = false
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.status) == [.timedOut])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 2 in docs/weaknesses.md.
    @Test("A command of an earlier run is finished before the first file is staged")
    func staleCommandsOfAnEarlierRun() throws {
        let stale = UploadBooks(
            timestamp: CommandTimestamp(seconds: 1), books: [UploadBooks.Book(fileName: "u-1.epub")])
        try Data(stale.encoded()).write(to: host.url("Library/calibre/upload_books.xml"))
        var isStaleAtPush = false
        host.before = { [unowned host] operation, _ in
            if operation == "push" {
                isStaleAtPush = FileManager.default.fileExists(
                    atPath: host.url("Library/calibre/upload_books.xml").path)
            }
        }
        let (rows, _) = try host.upload([host.item("u-1"), host.item("u-2")])
        #expect(!isStaleAtPush)
        #expect(rows.map(\.outcome) == [.added, .added])
        #expect(marvin.commands.map(\.fileNames) == [["u-1.epub"], ["u-1.epub", "u-2.epub"]])
    }

    /// Weakness 3 in docs/weaknesses.md.
    @Test("A failed copy gives a failed row, and never counts as sent")
    func silentWriteFailures() throws {
        host.fault = { operation, path in operation == "push" && path.contains("u-2") ? .noSpace : nil }
        let (rows, error) = try host.upload([host.item("u-1"), host.item("u-2"), host.item("u-3")])
        #expect(error == nil)
        #expect(rows.map(\.status) == [.ok, .noSpace, .ok])
        #expect(marvin.commands.first?.fileNames == ["u-1.epub", "u-3.epub"])
        #expect(rows[1].path == nil)
    }

    /// Weakness 3 in docs/weaknesses.md.
    @Test("The command file itself is checked as well")
    func silentWriteFailuresOfCommands() throws {
        host.fault = { operation, path in operation == "rename" ? .deviceIO : nil }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .deviceIO)
        #expect(rows.map(\.outcome) == [.failed])
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 4 in docs/weaknesses.md.
    @Test("A read that gives fewer bytes than the file has is an error")
    func zeroFilledReads() throws {
        try marvin.add("a.epub", uuid: "u", content: "0123456789")
        host.before = { [unowned host] operation, path in
            if operation == "read" { truncate(host.url(path).path, 4) }
        }
        var received = 0
        let overlay = try host.overlay()
        let error = try #require(throws: OverlayError.self) {
            try overlay.getFile("a.epub") { chunk, _, _ in received += chunk.count }
        }
        #expect(error.status == .verificationFailed)
        #expect(received == 4)
    }

    /// Weakness 5 in docs/weaknesses.md.
    @Test("A rejected replacement leaves the old book as it was")
    func deleteBeforeUpload() throws {
        try marvin.add("u-1.epub", uuid: "u-1", content: "the old book")
        marvin.rejections["u-1.epub"] = "not a valid EPUB"
        let (rows, _) = try host.upload([host.item("u-1")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.rejected])
        #expect(rows[0].path == "u-1.epub")
        #expect(try content("u-1.epub") == "the old book")
        #expect(
            marvin.commands.allSatisfy {
                if case .uploadBooks(let command) = $0 { return command.overwrite }
                return false
            })
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test("A book that does not fit is refused before it is sent, and smaller ones are still sent")
    func noFreeSpaceCheck() throws {
        let large = ZipFixture.epub(String(repeating: "x", count: 3_000_000))
        host.freeBytes = 3_000_000
        let (rows, _) = try host.upload([host.item("u-1", large), host.item("u-2")])
        #expect(rows.map(\.status) == [.noSpace, .ok])
        #expect(!host.operations.contains { $0.contains("u-1") })
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test("A success counts only if the book is on the device")
    func noVerification() throws {
        marvin.isHonest = false
        let (rows, _) = try host.upload([host.item("u-1")])
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == nil)
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test(
        "The old book is not mistaken for its replacement, even if both have the same size",
        arguments: ["the old book", String(repeating: "x", count: ZipFixture.epub("u-1").count)])
    func noVerificationOfReplacements(old: String) throws {
        try marvin.add("u-1.epub", uuid: "u-1", content: old)
        marvin.isHonest = false
        let (rows, _) = try host.upload([host.item("u-1")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == "u-1.epub")
        #expect(try content("u-1.epub") == old)
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 7 in docs/weaknesses.md.
    @Test("A command with any title, author or collection can be read by Marvin")
    func illFormedCommands() throws {
        let wild = #"'It''s "both" <here> & &amp; &foo; ]]> ' || char(1) || char(8)"#
        try marvin.library.add(["FileName": "'a.epub'", "Title": wild, "Author": wild, "UUID": "'u'"])
        try Data("x".utf8).write(to: host.url("Documents/a.epub"))
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(["a.epub"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.deleted])
        let names = ["A & <B>", "\"both' ]]>", "\u{1}\u{FFFE}x", "emoji 😀"]
        let (added, _) = try host.upload([host.item("u-1")], UploadOptions(collections: names))
        #expect(added.map(\.outcome) == [.added])
        guard case .uploadBooks(let command)? = marvin.commands.last else {
            Issue.record("no upload")
            return
        }
        #expect(command.books[0].collections.contains("A & <B>"))
        #expect(command.books[0].collections.contains("\"both' ]]>"))
    }

    /// Weakness 8 in docs/weaknesses.md.
    @Test(
        "File names do not depend on titles, and never lead out of their folder",
        arguments: ["../x", "a/b", "", ".", "a\u{0}b", "ä", String(repeating: "a", count: 300)])
    func nameCollisionsAndEscapes(uuid: String) throws {
        var item = try host.item(uuid, name: "x/y.epub")
        item.book.title = "../../Library/mainDb.sqlite"
        let (rows, _) = try host.upload([item])
        #expect(rows.map(\.status) == [.invalidArgument])
        #expect(!host.operations.contains { $0.hasPrefix("push") })
    }

    /// Weakness 8 in docs/weaknesses.md.
    @Test("An upload item without any identifier fails alone")
    func nameWithoutIdentifier() throws {
        #expect(
            try host.upload([host.item(nil), host.item("u-2")]).rows.map(\.outcome) == [.failed, .added])
    }

    /// Weakness 10 in docs/weaknesses.md.
    @Test("Each rejection reaches its book, in any wording, and in deletions as well")
    func rejectionsLostOrFatal() throws {
        try marvin.add("old.epub", uuid: "old")
        marvin.rejections["u-2.epub"] = "not a valid EPUB [really]"
        marvin.messages = ["a message without brackets", "[unknown.epub] of nobody"]
        let (rows, error) = try host.upload([host.item("u-1"), host.item("u-2")])
        #expect(error == nil)
        #expect(rows.map(\.status) == [.ok, .rejected])
        #expect(rows[1].message?.contains("not a valid EPUB [really]") == true)
        #expect(host.log.contains { $0.contains("a message without brackets") })
        marvin.rejections = ["old.epub": "locked"]
        var deleted: [ItemResult] = []
        try host.overlay().deleteBooks(["old.epub", "u-1.epub"]) { deleted.append($0) }
        deleted.sort { $0.index < $1.index }
        #expect(deleted.map(\.status) == [.rejected, .ok])
        #expect(deleted[0].message?.contains("locked") == true)
        #expect(try marvin.documents() == ["old.epub"])
    }

    /// Weakness 11 in docs/weaknesses.md.
    @Test("Every method works on a fresh instance without any cache")
    func methodsThatNeedACache() throws {
        try marvin.add("a.epub", uuid: "u")
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(["a.epub"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.deleted])
        #expect(try host.upload([host.item("u-1")]).rows.map(\.outcome) == [.added])
    }

    /// Weakness 13 in docs/weaknesses.md.
    @Test("The write-ahead log is read, a change during the copy is noticed, and dangling ids do no harm")
    func tornDatabaseCopies() throws {
        try marvin.library.run(
            "INSERT INTO Books (FileName) VALUES ('a.epub'); INSERT INTO BookCollections VALUES (1, 99)")
        try Data("x".utf8).write(to: host.url("Documents/a.epub"))
        var isChanged = false
        host.before = { [unowned marvin] operation, path in
            guard operation == "read", path.hasSuffix("-wal"), !isChanged else { return }
            isChanged = true
            attempt {
                try marvin.library.run("PRAGMA wal_checkpoint(TRUNCATE)")
                try marvin.add("b.epub", uuid: "b")
            }
        }
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        #expect(books.map(\.path) == ["a.epub", "b.epub"])
        #expect(books[0].title == nil && books[0].authors == [] && books[0].collections == [])
    }

    /// Weakness 14 in docs/weaknesses.md.
    @Test("Two entries for one file are one book, and paths stay unique")
    func duplicateNames() throws {
        try marvin.add("a.epub", uuid: "1")
        try marvin.library.add(["FileName": "'a.epub'", "UUID": "'2'"])
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        #expect(books.map(\.uuid) == ["1"])
    }
}
