import OverlayBridge
import OverlayKit
import OverlayKitTesting
import Testing

@testable import BookFolders

@Suite("Records that are parsed while the device lists its folders are those that are stored")
struct EarlyRecordsTests {
    private let host = MemoryHost()

    private func content(_ number: Int) -> ContentFingerprint {
        ContentFingerprint(
            size: UInt64(number), digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))
    }

    /// Stores what is known about this many books, and an edited title of each.
    private func store(_ count: Int) throws {
        let services = try host.services()
        let cache = MetadataCache(services.storage, log: services.log)
        cache.parts?.filesPerPart = 8
        let notes = BookNotes(services.storage, log: services.log)
        for number in 0..<count {
            var file = CachedFile(
                FoundFile(path: try #require(ShelfPath("\(number).pdf")), size: UInt64(number), modified: 1))
            file.fingerprint = content(number)
            file.readState = .book(CompactBook(Book(title: "File \(number)")))
            cache.set(file)
            notes.edit(content(number), Book(title: "Edited \(number)"))
        }
        cache.save()
        try notes.save()
    }

    private func early(enoughBytes: Int, leastForThread: Int) throws -> EarlyRecords {
        let services = try host.services()
        return EarlyRecords(
            notes: services.storage, metadata: services.storage, enoughBytes: enoughBytes,
            leastForThread: leastForThread)
    }

    /// The titles in files and in notes, as a scan loads them.
    private func titles(_ early: EarlyRecords?, _ count: Int) throws -> [[String?]] {
        let services = try host.services()
        let cache = MetadataCache(services.storage, log: services.log, early)
        let notes = BookNotes(services.storage, log: services.log, early)
        return (0..<count).map { [cache.book(content($0))?.title, notes.shown(content($0))?.title] }
    }

    @Test(
        "The same books are known, whether documents are parsed by a thread, at once, or partly later",
        arguments: [1, 600, .max], [0, Int.max])
    func agreement(enoughBytes: Int, leastForThread: Int) throws {
        try store(40)
        #expect(
            try titles(try early(enoughBytes: enoughBytes, leastForThread: leastForThread), 40)
                == (0..<40).map { ["File \($0)", "Edited \($0)"] })
    }

    @Test("Documents that were parsed early are not read again", arguments: [0, Int.max])
    func readOnce(leastForThread: Int) throws {
        try store(40)
        let early = try early(enoughBytes: .max, leastForThread: leastForThread)
        // What the storage contains now would not be found.
        for key in host.stored.keys { host.stored[key] = [] }
        #expect(try titles(early, 40) == (0..<40).map { ["File \($0)", "Edited \($0)"] })
        #expect(try titles(nil, 40) == (0..<40).map { _ in [nil, nil] })
    }

    @Test("Only documents up to the bound are read early")
    func bound() throws {
        try store(40)
        let early = try early(enoughBytes: 1, leastForThread: .max)
        for key in host.stored.keys { host.stored[key] = [] }
        let known = try titles(early, 40)
        // One of eight documents of the cache, and no notes.
        #expect((1..<40).contains(known.count { $0[0] != nil }))
        #expect(known.allSatisfy { $0[1] == nil })
    }

    @Test("Notes that another program combined since then are read from their new file")
    func combined() throws {
        try store(3)
        let services = try host.services()
        let early = try early(enoughBytes: .max, leastForThread: .max)
        for number in 3..<40 {
            let notes = BookNotes(services.storage, log: services.log)
            notes.edit(content(number), Book(title: "Edited \(number)"))
            try notes.save()
        }
        // Combining removes files that were read early.
        #expect(host.stored.keys.count { $0.contains("edits") } < 38)
        #expect(try titles(early, 40).map { $0[1] } == (0..<40).map { "Edited \($0)" })
    }

    @Test("A part of the cache with a damaged entry is written again", arguments: [0, Int.max])
    func damagedEntry(leastForThread: Int) throws {
        try store(3)
        let services = try host.services()
        let key = try #require(host.stored.keys.first { $0.contains("books") })
        let document = ListingCache(
            services.storage, services.log, key: String(key.dropFirst(2)), version: 2, category: "books")
        #expect(document.saveDocument(Array("[{\"path\": 5}]".utf8)))
        let damaged = host.stored[key]
        let cache = MetadataCache(
            services.storage, log: services.log,
            try early(enoughBytes: .max, leastForThread: leastForThread))
        #expect(Array(cache.entries).isEmpty)
        cache.save()
        #expect(host.stored[key] != damaged)
    }

    /// Lists the books of a shelf, and returns the operations that the host received.
    private func operations(_ bench: ShelfBench) throws -> [String] {
        var operations: [String] = []
        bench.host.fault = { operation, key in
            operations.append("\(operation) \(key)")
            return nil
        }
        defer { bench.host.fault = { _, _ in nil } }
        _ = try bench.books()
        return operations
    }

    @Test("A listing reads each document once, before the device lists its folders")
    func order() throws {
        let bench = ShelfBench()
        for number in 0..<3 { bench.host.put("\(number).pdf", bookText("T\(number)", ["A"])) }
        _ = try bench.books()
        let operations = try operations(bench)
        let reads = operations.filter { $0.hasPrefix("storage.get books") }
        #expect(reads.count == 1)
        let first = try #require(operations.firstIndex { $0.hasPrefix("list") })
        #expect(operations[..<first].contains(reads[0]), "\(operations)")
    }

    @Test("A storage that cannot be read is reported once")
    func brokenStorage() throws {
        let bench = ShelfBench()
        bench.host.put("a.pdf", bookText("T", ["A"]))
        bench.host.fault = { operation, _ in operation == "storage.keys" ? .hostIO : nil }
        #expect(try bench.books().map(\.title) == ["T"])
        for words in ["Cannot read the cached metadata", "Cannot read the titles and authors"] {
            #expect(bench.host.log.count { $0.contains(words) } == 1, "\(bench.host.log)")
        }
    }

    @Test("A listing that the device ends early leaves no thread behind")
    func brokenWalk() throws {
        let bench = ShelfBench()
        for number in 0..<400 { bench.host.put("\(number).pdf", bookText("T\(number)", ["A"])) }
        _ = try bench.books()
        #expect(bench.host.stored.values.map(\.count).reduce(0, +) > EarlyRecords.leastForThread)
        bench.host.fault = { operation, _ in operation == "list" ? .deviceIO : nil }
        #expect(throws: OverlayError.self) { try bench.books() }
        bench.host.fault = { _, _ in nil }
        #expect(try bench.books().count == 400)
    }

    @Test("A damaged file of notes is left to the notes, which report it", arguments: [0, Int.max])
    func damaged(leastForThread: Int) throws {
        try store(3)
        let key = try #require(host.stored.keys.first { $0.contains("edits") })
        host.stored[key] = Array("{".utf8)
        let logged = host.log.count
        let known = try titles(try early(enoughBytes: .max, leastForThread: leastForThread), 3)
        #expect(known == (0..<3).map { ["File \($0)", nil] })
        #expect(host.log[logged...].contains { $0.contains("titles and authors you entered") })
    }
}
