import OverlayKitTesting
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

/// Random changes of a library. The device stores times in whole seconds, and most changes are in the same second as
/// the previous one. After each, the listing with a cache must equal one without it.
@Suite("However the library changes, a kept booklist is never out of date")
struct CachePropertyTests {
    @Test("A listing with a cache equals one without it", arguments: ["WAL", "DELETE"], [1, 2] as [UInt64])
    func sameListing(mode: String, seed: UInt64) throws {
        let world = try ChangingLibrary(mode: mode, seed: seed)
        for step in 0..<250 {
            try world.change()
            let withCovers = world.chance(0.6)
            let kept = try world.list(withCovers, caching: true)
            let fresh = try world.list(withCovers, caching: false)
            try #require(kept == fresh, "step \(step): \(world.history.suffix(4))")
        }
        // A cache that is never used would pass as well.
        #expect(world.warm >= 15, "\(world.warm) listings were served without the library")
    }
}

/// A library with random changes.
private final class ChangingLibrary {
    let host: MarvinTestHost
    let library: LibraryFixture
    private var random: SeededGenerator
    private let isLogged: Bool
    private var second: Int64 = 1_700_000_000
    private var stamped: [String: Int64] = [:]
    private var next = 0
    private var names: [String] = []
    private(set) var history: [String] = []
    /// Listings for which the library was not copied.
    private(set) var warm = 0
    private let covers = BooklistCacheTests.covers

    init(mode: String, seed: UInt64) throws {
        host = try MarvinTestHost(TemporaryFolder())
        random = SeededGenerator(seed: seed)
        isLogged = mode == "WAL"
        library = try LibraryFixture(path: host.url("Library/mainDb.sqlite").path, mode: mode)
        try FileManager.default.createDirectory(at: host.url(covers), withIntermediateDirectories: true)
        try Data("<connection/>".utf8).write(to: host.url("Library/calibre/connected.xml"))
        for _ in 0..<8 { try add() }
        // The host's clock is independent of the device's.
        host.wallClock = (second - 86_400 * 900) * 1_000_000_000
        try stamp()
    }

    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
    private func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }

    func list(_ withCovers: Bool, caching: Bool) throws -> [Book] {
        host.switches["booklist_caching"] = caching
        host.resetCounts()
        var books: [Book] = []
        try host.overlay().books(BooksOptions(withCovers: withCovers)) { books.append($0) }
        if caching, !host.operations.contains(where: { $0 == "read /Library/mainDb.sqlite" }) { warm += 1 }
        return books
    }

    /// One to three changes, or none. Then the clocks advance, or not.
    func change() throws {
        if chance(0.15) {
            // The user comes back later, and enters the connection mode.
            history.append("pause")
            tick(5)
            try Data("<connection/>".utf8).write(to: host.url("Library/calibre/connected.xml"))
            return try stamp()
        }
        let count = chance(0.4) ? 0 : Int.random(in: 1...3, using: &random)
        for _ in 0..<count { try changeOnce() }
        try stamp()
        if chance(0.05), let key = host.cache.keys.sorted().randomElement(using: &random) {
            history.append("damage \(key)")
            let place = host.cache[key].map { Int.random(in: 0..<max(1, $0.count), using: &random) } ?? 0
            if chance(0.5) { host.cache[key]?.removeLast() } else { host.cache[key]?[place] ^= 0x20 }
        }
        tick(chance(0.6) ? 0 : chance(0.5) ? 1 : 5)
        if chance(0.1) {
            // Marvin enters its connection mode again.
            history.append("connection")
            try Data("<connection/>".utf8).write(to: host.url("Library/calibre/connected.xml"))
            try stamp()
        }
    }

    private func tick(_ seconds: Int64) {
        second += seconds
        host.wallClock = (host.wallClock ?? 0) + seconds * 1_000_000_000
    }

    private func changeOnce() throws {
        let name = pick(names)
        let sql: (String) -> String = { "\($0) WHERE FileName = '\(name ?? "")'" }
        let value = Int.random(in: 0..<1000, using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0: try run(sql("UPDATE Books SET IsRead = 1 - IFNULL(IsRead, 0)"))
        case 1: try run(sql("UPDATE Books SET Title = 'Title \(value)'"))
        case 2: try run(sql("UPDATE Books SET CalibreSeries = 'S', CalibreSeriesIndex = '\(value)'"))
        case 3: try run(sql("UPDATE Books SET Description = hex(randomblob(\(value * 9)))"))
        case 4: try run(sql("UPDATE Books SET Rating = \(value % 6), Pin = \(value % 2)"))
        case 5: try run(sql("UPDATE Books SET Progress = \(Double(value) / 1000), WordCount = \(value)"))
        case 6: try run("UPDATE Collections SET Name = 'Renamed \(value)' WHERE ID = \(value % 5)")
        case 7: try run("UPDATE BookCollections SET CollectionID = \(value % 5) WHERE rowid = \(value % 9)")
        case 8: try library.setCollections(["NEW", "C \(value % 4)"], of: name ?? ""); note("collections")
        case 9: try library.setSubjects(["S \(value)"], of: name ?? ""); note("subjects")
        case 10, 11: try add()
        case 12: try delete(name)
        case 13: try removeFile(name)
        case 14: try writeFile(name, value)
        case 15: try replaceCover(name, value)
        case 16:
            // In place, and recorded in the library.
            try writeCover(name, value, atomically: false)
            try run(sql("UPDATE Books SET CalibreCoverHash = '\(value)'"))
        case 17: try removeCover(name)
        case 18:
            if isLogged {
                try run("PRAGMA wal_checkpoint(\(pick(["PASSIVE", "RESTART", "TRUNCATE"]) ?? ""))")
            }
        case 19: try run("BEGIN; UPDATE Books SET Publisher = 'P \(value)'; ROLLBACK")
        case 20: try run("UPDATE Books SET Publisher = 'P \(value)'")
        default: if !isLogged { try run("VACUUM") }
        }
    }

    private func note(_ what: String) { history.append(what) }

    private func run(_ sql: String) throws {
        note(sql)
        try library.run(sql)
    }

    private func add() throws {
        next += 1
        let name = "\(next).epub"
        note("add \(name)")
        names.append(name)
        try Data("book \(next)".utf8).write(to: host.url("Documents/\(name)"))
        try library.add([
            "FileName": "'\(name)'", "UUID": "'u-\(next)'", "Title": "'T'", "Hash": "'h\(next)'",
            "IsRead": "0",
        ])
        if chance(0.8) { try writeCover(name, next, atomically: true) }
    }

    private func delete(_ name: String?) throws {
        guard let name, names.count > 3 else { return }
        names.removeAll { $0 == name }
        try run("DELETE FROM Books WHERE FileName = '\(name)'")
        unlink(host.url("Documents/\(name)").path)
        unlink(cover(name).path)
    }

    private func removeFile(_ name: String?) throws {
        guard let name else { return }
        note("file of \(name) goes")
        unlink(host.url("Documents/\(name)").path)
    }

    /// Recorded in the library, because a file that is written in place is not noticed otherwise.
    private func writeFile(_ name: String?, _ value: Int) throws {
        guard let name else { return }
        note("file of \(name) is written")
        try Data(repeating: 1, count: value).write(to: host.url("Documents/\(name)"))
        try run("UPDATE Books SET Publisher = '\(value) \(next)' WHERE FileName = '\(name)'")
    }

    private func cover(_ name: String) -> URL { host.url("\(covers)/h\(name.dropLast(5)).jpg") }

    private func writeCover(_ name: String?, _ value: Int, atomically: Bool) throws {
        guard let name else { return }
        note("cover of \(name), atomically \(atomically)")
        let bytes =
            [0xFF, 0xD8, 0xFF, UInt8(value % 250)]
            + [UInt8](repeating: 3, count: 40 + value % 3) + [0xFF, 0xD9]
        try Data(bytes).write(to: cover(name), options: atomically ? .atomic : [])
    }

    private func replaceCover(_ name: String?, _ value: Int) throws {
        try writeCover(name, value, atomically: true)
    }

    private func removeCover(_ name: String?) throws {
        guard let name else { return }
        note("cover of \(name) goes")
        unlink(cover(name).path)
    }

    /// Sets the time of everything that has changed to the device's clock, which has whole seconds only.
    private func stamp() throws {
        var paths = ["Documents", covers, "Library/calibre", "Library/calibre/connected.xml"]
        paths += ["", "-wal", "-journal"].map { "Library/mainDb.sqlite" + $0 }
        for folder in ["Documents", covers] {
            paths += try FileManager.default.contentsOfDirectory(atPath: host.url(folder).path).map {
                "\(folder)/\($0)"
            }
        }
        for path in paths {
            var info = stat()
            guard lstat(host.url(path).path, &info) == 0 else {
                stamped[path] = nil
                continue
            }
            let time = Int64(info.st_mtim.tv_sec) * 1_000_000_000 + Int64(info.st_mtim.tv_nsec)
            guard stamped[path] != time else { continue }
            stamped[path] = second * 1_000_000_000
            let stamp = timespec(tv_sec: Int(second), tv_nsec: 0)
            try #require(utimensat(AT_FDCWD, host.url(path).path, [stamp, stamp], 0) == 0)
        }
    }
}
