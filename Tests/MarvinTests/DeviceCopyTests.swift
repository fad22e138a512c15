import OverlayKitTesting
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A copy of the booklist on the device serves other computers, and keeps within its limit")
struct DeviceCopyTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin
    private let copy = "Library/calibre.mm/overlayhost.booklist"

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.switches["device_booklist_caching"] = true
        marvin = try FakeMarvin(host)
        for number in 0..<20 { try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T \(number)") }
        let past = Date(timeIntervalSinceNow: -7200)
        for path in ["Library/mainDb.sqlite", "Library/mainDb.sqlite-wal", "Documents"] {
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: host.url(path).path)
        }
    }

    private func list() throws -> [Book] {
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        return books
    }

    private var isThere: Bool { FileManager.default.fileExists(atPath: host.url(copy).path) }
    private var readsLibrary: Bool { host.operations.contains { $0 == "read /Library/mainDb.sqlite" } }

    @Test("The copy is written once, beside the original driver's file, and read by a computer without one")
    func sharing() throws {
        try FileManager.default.createDirectory(
            at: host.url("Library/calibre.mm"), withIntermediateDirectories: true)
        try Data("theirs".utf8).write(to: host.url("Library/calibre.mm/booklist.db"))
        let books = try list()
        #expect(isThere)
        host.resetCounts()
        #expect(try list() == books)
        #expect(!host.operations.contains { $0.hasPrefix("write") } && !readsLibrary)
        host.cache = [:]
        host.resetCounts()
        #expect(try list() == books)
        #expect(!readsLibrary)
        #expect(try Data(contentsOf: host.url("Library/calibre.mm/booklist.db")) == Data("theirs".utf8))
    }

    @Test("A copy that is damaged, outdated or missing does no harm") func badCopy() throws {
        let books = try list()
        host.cache = [:]
        try Data("rubbish".utf8).write(to: host.url(copy))
        #expect(try list() == books)
        host.cache = [:]
        try marvin.library.run("UPDATE Books SET Title = 'new'")
        #expect(try list().allSatisfy { $0.title == "new" })
        try FileManager.default.removeItem(at: host.url(copy))
        #expect(try list().count == 20)
    }

    @Test("A copy over the limit is not written, and an existing one is removed") func limit() throws {
        _ = try list()
        #expect(isThere)
        host.freeBytes = 8_000
        try marvin.library.run("UPDATE Books SET Title = 'new'")
        let past = Date(timeIntervalSinceNow: -7000)
        for path in ["Library/mainDb.sqlite", "Library/mainDb.sqlite-wal"] {
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: host.url(path).path)
        }
        _ = try list()
        #expect(!isThere)
        #expect(host.log.contains { $0.contains("than 10 percent") })
        host.numbers["device_booklist_cache_limit"] = 100
        _ = try list()
        #expect(isThere)
    }

    @Test("The copy is removed when it is switched off") func switchedOff() throws {
        _ = try list()
        #expect(isThere)
        host.switches["device_booklist_caching"] = false
        _ = try list()
        #expect(!isThere)
    }

    @Test("A device that cannot store the copy still lists its books") func readOnlyDevice() throws {
        host.fault = { operation, path in
            operation == "write" && path.contains("calibre.mm") ? .noSpace : nil
        }
        #expect(try list().count == 20)
        #expect(host.log.contains { $0.contains("Cannot cache the booklist on the device") })
    }
}
