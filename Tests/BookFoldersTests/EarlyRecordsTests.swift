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

    private func early(enough: Int, worthThread: Int) throws -> EarlyRecords {
        let services = try host.services()
        return EarlyRecords(
            notes: services.storage, metadata: services.storage, log: services.log, enough: enough,
            worthThread: worthThread)
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
    func agreement(enough: Int, worthThread: Int) throws {
        try store(40)
        #expect(
            try titles(try early(enough: enough, worthThread: worthThread), 40)
                == (0..<40).map { ["File \($0)", "Edited \($0)"] })
    }

    @Test("Documents that were parsed early are not read again", arguments: [0, Int.max])
    func readOnce(worthThread: Int) throws {
        try store(40)
        let early = try early(enough: .max, worthThread: worthThread)
        // What the storage contains now would not be found.
        for key in host.stored.keys { host.stored[key] = [] }
        #expect(try titles(early, 40) == (0..<40).map { ["File \($0)", "Edited \($0)"] })
        #expect(try titles(nil, 40) == (0..<40).map { _ in [nil, nil] })
    }

    @Test("Only documents up to the bound are read early")
    func bound() throws {
        try store(40)
        let early = try early(enough: 1, worthThread: .max)
        for key in host.stored.keys { host.stored[key] = [] }
        let known = try titles(early, 40)
        // One of eight documents of the cache, and no notes.
        #expect((1..<40).contains(known.count { $0[0] != nil }))
        #expect(known.allSatisfy { $0[1] == nil })
    }

    @Test("A damaged file of notes is left to the notes, which report it", arguments: [0, Int.max])
    func damaged(worthThread: Int) throws {
        try store(3)
        let key = try #require(host.stored.keys.first { $0.contains("edits") })
        host.stored[key] = Array("{".utf8)
        let logged = host.log.count
        let known = try titles(try early(enough: .max, worthThread: worthThread), 3)
        #expect(known == (0..<3).map { ["File \($0)", nil] })
        #expect(host.log[logged...].contains { $0.contains("titles and authors you entered") })
    }
}
