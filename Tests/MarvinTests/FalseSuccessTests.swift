import OverlayKitTesting
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A success of Marvin counts if it is visible in the library and among the documents")
struct FalseSuccessTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private func content(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: host.url("Documents/\(name)")))
    }

    private func listed() throws -> [String?] {
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        return books.map(\.path)
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test(
        "A replacement that the app discarded does not count, regardless of the size of the old book",
        arguments: [12, ZipFixture.epub("u-1").count])
    func swallowed(size: Int) throws {
        let old = String(repeating: "x", count: size)
        try marvin.add("u-1.epub", uuid: "u-1", content: old)
        marvin.isHonest = false
        marvin.onCommand = { [unowned host] _ in unlink(host.url("Library/calibre/u-1.epub").path) }
        let (rows, error) = try host.upload([host.item("u-1")], UploadOptions(onConflict: .replace))
        #expect(error == nil)
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == "u-1.epub")
        #expect(rows[0].message == "Marvin reported success, but the old copy of the book is still there.")
        #expect(try content("u-1.epub") == Array(old.utf8))
    }

    @Test("A replacement in the same tick of the device's clock is recognised by its content")
    func sameTick() throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let bytes = ZipFixture.epub("new")
        try marvin.add("u-1.epub", uuid: "u-1", content: String(repeating: "x", count: bytes.count))
        host.before = { [unowned host] operation, path in
            guard operation == "stat", path == "/Documents/u-1.epub" else { return }
            attempt {
                try FileManager.default.setAttributes(
                    [.modificationDate: time], ofItemAtPath: host.url(path).path)
            }
        }
        let (rows, _) = try host.upload([host.item("u-1", bytes)], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(try content("u-1.epub") == bytes)
    }

    @Test("A replacement whose size differs from the file that was sent does not count")
    func otherSize() throws {
        try marvin.add("u-1.epub", uuid: "u-1", content: "old")
        marvin.isHonest = false
        marvin.onCommand = { [unowned host] _ in
            unlink(host.url("Library/calibre/u-1.epub").path)
            attempt { try Data("half".utf8).write(to: host.url("Documents/u-1.epub")) }
        }
        let (rows, _) = try host.upload([host.item("u-1")], UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.verificationFailed])
    }

    @Test("A file that was there before does not prove that Marvin took the book") func earlierFile() throws {
        let item = try host.item("u-1")
        try Data(ZipFixture.epub("u-1")).write(to: host.url("Documents/u-1.epub"))
        marvin.answers = false
        let (rows, error) = try host.upload([item])
        #expect(error?.status == .timedOut)
        #expect(rows.map(\.status) == [.timedOut])
        #expect(try listed() == [])
    }

    @Test("A book whose file was moved without an entry in the library counts as not added")
    func movedFile() throws {
        marvin.isHonest = false
        marvin.onCommand = { [unowned host] _ in
            rename(host.url("Library/calibre/u-1.epub").path, host.url("Documents/u-1.epub").path)
        }
        let (rows, _) = try host.upload([host.item("u-1")])
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == nil)
        #expect(rows[0].message?.contains("not in its library") == true)
        #expect(try listed() == [])
    }

    @Test(
        "A book whose file Marvin moved before it died, without an entry in the library, counts as not added")
    func movedBeforeDeath() throws {
        marvin.interruption = .dies
        marvin.onCommand = { [unowned host] _ in
            rename(host.url("Library/calibre/u-1.epub").path, host.url("Documents/u-1.epub").path)
        }
        let (rows, error) = try host.upload([host.item("u-1")])
        #expect(error?.status == .timedOut && rows.map(\.status) == [.timedOut])
    }

    @Test("A book whose file is gone but whose entry remains counts as not deleted")
    func deletedFileOnly() throws {
        try marvin.add("a.epub", uuid: "u")
        marvin.isHonest = false
        marvin.onCommand = { [unowned host] _ in unlink(host.url("Documents/a.epub").path) }
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(["a.epub"]) { rows.append($0) }
        #expect(rows.map(\.status) == [.verificationFailed])
        #expect(rows[0].path == "a.epub")
    }

    @Test("Changes before a cancel count as done, and the rest as not done") func cancelling() throws {
        // Enough rows that the reading checks for a cancellation.
        try marvin.library.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO Books (FileName, UUID) SELECT 'x' || i || '.epub', 'x' || i FROM n
            """)
        host.grace = .max
        host.onWait = { [unowned host, marvin] in
            attempt {
                rename(host.url("Library/calibre/u-1.epub").path, host.url("Documents/u-1.epub").path)
                try marvin.library.add(["FileName": "'u-1.epub'", "UUID": "'u-1'"])
            }
            host.isCancelled = true
        }
        let (rows, error) = try host.upload([host.item("u-1"), host.item("u-2")])
        #expect(error?.status == .cancelled)
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(rows[1].message?.contains("not known") == false)

        host.isCancelled = false
        host.onWait = { [unowned host, marvin] in
            attempt {
                unlink(host.url("Documents/u-1.epub").path)
                try marvin.library.run("DELETE FROM Books WHERE FileName = 'u-1.epub'")
            }
            host.isCancelled = true
        }
        var deleted: [ItemResult] = []
        try host.overlay().deleteBooks(["u-1.epub"]) { deleted.append($0) }
        #expect(deleted.map(\.outcome) == [.deleted])
    }

    @Test("The check afterwards takes one more request per book and one more copy of the library")
    func cost() throws {
        for number in 0..<50 { try marvin.add("\(number).epub", uuid: "o-\(number)") }
        let items = try (0..<20).map { try host.item("u-\($0)") }
        host.resetCounts()
        #expect(try host.upload(items).rows.allSatisfy { $0.outcome == .added })
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count == 2)
        for number in 0..<20 {
            #expect(host.operations.filter { $0 == "stat /Documents/u-\(number).epub" }.count == 2)
        }
    }
}
