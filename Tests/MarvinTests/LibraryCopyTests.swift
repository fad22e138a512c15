import MarvinCommands
import OverlayKitTesting
import DeviceDatabases
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("The copy of the library shows it at a single moment")
struct LibraryCopyTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        try marvin.add("first.epub", uuid: "1")
    }

    private func device() throws -> MarvinDevice { try device(host) }

    private func device(_ host: MarvinTestHost) throws -> MarvinDevice {
        let services = try HostServices(host.record())
        return MarvinDevice(
            host: services, paths: MarvinPaths(version: nil), timing: .standard,
            now: { [unowned host] in host.clock }, wallClock: { 0 }, cache: BooklistCache(services))
    }

    @Test("A library that changes while it is copied is copied again") func changeWhileCopying() throws {
        var changes = 0
        host.before = { [unowned marvin] operation, path in
            guard operation == "read", path.hasSuffix("-wal"), changes < 3 else { return }
            changes += 1
            attempt { try marvin.add("later-\(changes).epub", uuid: "l-\(changes)") }
        }
        let names = try device().libraryBooks().map(\.fileName)
        #expect(names == ["first.epub", "later-1.epub", "later-2.epub", "later-3.epub"])
        #expect(host.waits.count == 3)
    }

    @Test("A checkpoint between the copies of the two files is noticed") func checkpoint() throws {
        var isDone = false
        host.before = { [unowned marvin] operation, path in
            guard operation == "read", path.hasSuffix("-wal"), !isDone else { return }
            isDone = true
            // Moves the log into the main file, which was already copied, and starts a new log.
            attempt {
                try marvin.library.run("PRAGMA wal_checkpoint(RESTART)")
                try marvin.add("second.epub", uuid: "2")
            }
        }
        #expect(try device().libraryBooks().map(\.fileName) == ["first.epub", "second.epub"])
    }

    @Test("A library that never stops changing is busy in the end") func restlessLibrary() throws {
        var count = 0
        host.before = { [unowned marvin] operation, path in
            guard operation == "read", path.hasSuffix(".sqlite") else { return }
            count += 1
            attempt { try marvin.add("\(count).epub", uuid: "\(count)") }
        }
        let error = try #require(throws: OverlayError.self) { try device().libraryBooks() }
        #expect(error.status == .busy && error.retryable)
        #expect(count == 8)
    }

    @Test("A copy that does not fit on this computer is not begun") func noRoomHere() throws {
        try #require(truncate(host.url("Library/mainDb.sqlite").path, 3 << 30) == 0)
        var asked: [String] = []
        let error = try #require(throws: OverlayError.self) {
            let device = try device()
            _ = try DatabaseCopy(
                device.host, device.root, device.paths.library, name: LibraryDatabaseReader.name
            ) { (folder) throws(OverlayError) in
                asked.append(folder.path)
                return 3 << 30
            }
        }
        #expect(error.status == .noSpace)
        #expect(error.message.contains("3239 MB"), "\(error.message)")
        #expect(error.hint?.contains("TMPDIR") == true)
        let folder = try #require(asked.first)
        #expect(error.subject.map { folder.hasPrefix($0 + "/") } == true)
        #expect(!host.operations.contains { $0.hasPrefix("read ") })
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("The free space of the temporary folder is that of its file system") func freeSpace() throws {
        let folder = try ScratchFolder()
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let size = try #require(attributes[.systemSize] as? NSNumber).uint64Value
        let free = try folder.freeSpace()
        #expect(free > 0 && free <= size)
    }

    /// A library with one book, in which Marvin is in the middle of a transaction.
    private func unfinished() throws -> (host: MarvinTestHost, marvin: FakeMarvin) {
        let host = try MarvinTestHost(TemporaryFolder())
        let marvin = try FakeMarvin(host, mode: "DELETE")
        try marvin.add("first.epub", uuid: "1")
        // A small cache makes SQLite write to the main file before the transaction ends.
        try marvin.library.run("PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN")
        try marvin.library.run("UPDATE Books SET Title = 'changed'")
        for number in 0..<200 {
            try marvin.add("\(number).epub", uuid: "\(number)", title: String(repeating: "x", count: 500))
        }
        return (host, marvin)
    }

    @Test("An abandoned transaction is undone in the copy, and the log says so")
    func abandonedTransaction() throws {
        let (host, marvin) = try unfinished()
        let library = host.url("Library/mainDb.sqlite")
        let before = try Data(contentsOf: library)
        let device = try device(host)
        let books = try device.libraryBooks()
        #expect(books.map(\.fileName) == ["first.epub"])
        #expect(books.map(\.title) == ["T"])
        #expect(host.warnings.count { $0.contains("state before") } == 1)
        #expect(try Data(contentsOf: library) == before)
        withExtendedLifetime(marvin) {}
    }

    @Test("A journal that names another file is not applied, and the error says what to do")
    func foreignJournal() throws {
        let (host, marvin) = try unfinished()
        let victim = host.url("victim")
        try Data("precious".utf8).write(to: victim)
        let journal = host.url("Library/mainDb.sqlite-journal")
        let name = Array(victim.path.utf8)
        func number(_ value: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let file = try FileHandle(forUpdating: journal)
        try file.seekToEnd()
        try file.write(contentsOf: number(0x4000_0000) + name + number(name.count) + number(sum) + magic)
        try file.close()
        let error = try #require(throws: OverlayError.self) { try device(host).libraryBooks() }
        #expect(error.status == .damaged)
        #expect(error.hint?.contains("Open the app") == true)
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
        withExtendedLifetime(marvin) {}
    }

    @Test("A journal that would make a library of impossible size is refused")
    func oversizedJournal() throws {
        let (host, marvin) = try unfinished()
        let file = try FileHandle(forUpdating: host.url("Library/mainDb.sqlite-journal"))
        try file.seek(toOffset: 16)
        try file.write(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF])
        try file.close()
        let error = try #require(throws: OverlayError.self) { try device(host).libraryBooks() }
        #expect(error.status == .damaged)
        withExtendedLifetime(marvin) {}
    }

    @Test("An unfinished transaction in a rollback journal is waited for") func transactionUnderWay() throws {
        let (host, marvin) = try unfinished()
        host.onWait = { [unowned marvin] in attempt { try marvin.library.run("ROLLBACK") } }
        let device = try device(host)
        #expect(try device.libraryBooks().map(\.fileName) == ["first.epub"])
        #expect(host.waits.count == 1)
    }

    @Test("A journal that is only kept for later use does not count") func idleJournal() throws {
        try Data(repeating: 0, count: 512).write(to: host.url("Library/mainDb.sqlite-journal"))
        #expect(try device().libraryBooks().count == 1)
        #expect(host.waits.isEmpty)
    }

    @Test("An empty library file is damage, and a library of impossible size is refused")
    func emptyLibrary() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        try Data().write(to: host.url("Library/mainDb.sqlite"))
        let device = try device(host)
        var error = try #require(throws: OverlayError.self) { try device.libraryBooks() }
        #expect(error.status == .damaged)
        truncate(host.url("Library/mainDb.sqlite").path, 5 << 30)
        error = try #require(throws: OverlayError.self) { try device.libraryBooks() }
        #expect(error.message.contains("large"))
    }

    @Test("A cancel ends the wait for the library to stop changing") func cancelling() throws {
        host.before = { [unowned host, unowned marvin] operation, path in
            guard operation == "read", path.hasSuffix("-wal") else { return }
            attempt { try marvin.add("x\(host.waits.count).epub", uuid: "x\(host.waits.count)") }
        }
        host.onWait = { [unowned host] in host.isCancelled = true }
        let error = try #require(throws: OverlayError.self) { try device().libraryBooks() }
        #expect(error.status == .cancelled)
    }

    @Test("A fresh Marvin without a library has no books to compare an upload with")
    func freshMarvin() throws {
        let host = try MarvinTestHost(TemporaryFolder())
        let device = try device(host)
        #expect(try device.libraryBooks().isEmpty)
    }
}
