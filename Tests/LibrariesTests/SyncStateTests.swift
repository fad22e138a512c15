import BookModel
import Foundation
import HostErrors
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("The agreed state is read completely or not at all")
struct SyncStateTests {
    private static func state(_ source: String = "/books") -> SyncState {
        var state = SyncState(SyncState.Ends(device: "D", app: "com.example", source: source))
        state.kind = .calibre
        // Copies with the synced content, another one, or none that is known.
        let contents = ["C", "other", nil, "C"]
        for (name, content) in zip(["Emma", "a\nb \"c\"", "e\u{301}", "\u{E9}"], contents) {
            state[name] = SyncRecord(
                key: name, item: "x/" + name, stamp: "1 2 3", contentID: "C",
                metadata: MetadataDigest(fields: ["title", "tags"], number: .max), cover: "4 5 6",
                path: "p/" + name,
                isOwned: name == "Emma", isPending: name != "Emma",
                copy: DeviceCopy(
                    size: 12, contentID: content, metadata: MetadataDigest(fields: ["title"], number: 7),
                    digest: content == nil ? nil : .max),
                identity: Book(uuid: "u", title: name, authors: ["A", "B"]))
        }
        state["bare"] = SyncRecord(key: "bare", item: "bare")
        return state
    }

    private static func bytes(_ state: SyncState) -> [UInt8] {
        var text = ""
        state.write { text += $0 }
        return Array(text.utf8)
    }

    @Test("A state comes back as it was, and its file is one JSON document")
    func roundTrip() throws {
        let state = Self.state()
        let bytes = Self.bytes(state)
        #expect(SyncState(bytes, state.ends) == state)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect((document["books"] as? [Any])?.count == 5)
        let empty = SyncState(state.ends)
        #expect(SyncState(Self.bytes(empty), empty.ends) == empty)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(Self.bytes(empty))) }
    }

    /// A state with one book, as a version of the program writes it.
    private static func file(version: Int, fields: String, digest: String) -> [UInt8] {
        let members = [
            "\"version\": \(version)", "\"device\": \"D\"", "\"app\": \"com.example\"",
            "\"source\": \"/books\"", fields, "\"count\": 1",
        ]
        let head = members.filter { !$0.isEmpty }.joined(separator: ", ")
        let book = "{\"key\": \"k\", \"stamp\": \"1 2 3\", \"metadata\": \(digest)}"
        return Array("{\(head), \"books\": [\n\(book)\n]}\n".utf8)
    }

    private static let ends = SyncState.Ends(device: "D", app: "com.example", source: "/books")

    @Test("Digests with the names of their fields, or with the bits of another table of fields, are read")
    func otherTables() throws {
        let number = "000000000000002a"
        let named = Self.file(version: 1, fields: "", digest: "[\"\(number)\", \"tags\", \"title\"]")
        let bits = Self.file(
            version: 2, fields: "\"fields\": [\"tags\", \"smell\", \"title\"]", digest: "\"\(number) 7\"")
        let digest = MetadataDigest(fields: ["title", "tags"], number: 42)
        for bytes in [named, bits] {
            let record = try #require(SyncState(bytes, Self.ends)?["k"])
            #expect(record.metadata == digest)
        }
    }

    @Test("A digest whose fields are not known is not read")
    func brokenDigests() {
        let fields = "\"fields\": [\"title\"]"
        #expect(SyncState(Self.file(version: 2, fields: fields, digest: "\"2a 1\""), Self.ends) != nil)
        #expect(SyncState(Self.file(version: 2, fields: "", digest: "\"2a 1\""), Self.ends) == nil)
        for text in ["", "2a", "2a 1 1", " 1", "2a ", "2g 1", "2a 00000000000000001"] {
            let bytes = Self.file(version: 2, fields: fields, digest: "\"\(text)\"")
            #expect(SyncState(bytes, Self.ends) == nil, "\(text)")
        }
        // The first version had names, the second one has bits.
        #expect(SyncState(Self.file(version: 1, fields: fields, digest: "\"2a 1\""), Self.ends) == nil)
        #expect(
            SyncState(Self.file(version: 2, fields: fields, digest: "[\"2a\", \"title\"]"), Self.ends) == nil)
        #expect(SyncState(Self.file(version: 3, fields: fields, digest: "\"2a 1\""), Self.ends) == nil)
    }

    @Test("A file that was cut at any length, or with any byte changed, is whole or lost, and never a part")
    func damage() {
        let state = Self.state()
        let bytes = Self.bytes(state)
        for length in 0..<bytes.count {
            #expect(SyncState(Array(bytes.prefix(length)), state.ends) == nil, "\(length) bytes")
        }
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x15
            let read = SyncState(changed, state.ends)
            #expect(read == nil || read?.records.count == 5, "byte \(place)")
        }
        #expect(SyncState(bytes + bytes, state.ends) == nil)
    }

    @Test("A state file about another source or device is not used")
    func otherEnds() {
        let state = Self.state()
        let bytes = Self.bytes(state)
        for ends in [
            SyncState.Ends(device: "E", app: "com.example", source: "/books"),
            SyncState.Ends(device: "D", app: "com.other", source: "/books"),
            SyncState.Ends(device: "D", app: "com.example", source: "/other"),
        ] {
            #expect(SyncState(bytes, ends) == nil)
        }
    }

    @Test("States that cannot be listed are an error, because books of other sources could be deleted")
    func unlisted() throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path("state"), device: "D", app: "com.example")
        // Without a folder, there are no states.
        #expect(try store.paths(ofOthersThan: Self.state()).isEmpty)
        try FileManager.default.createDirectory(
            atPath: folder.path("state/sync/D"), withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder.path("state/sync/D/com.example")))
        let error = #expect(throws: HostError.self) { try store.paths(ofOthersThan: Self.state()) }
        #expect(error?.code == .inputUnreadable && error?.native == .posix(ENOTDIR))
    }

    @Test("States of several sources of one app are kept apart, and each knows what the others have")
    func store() throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path("state"), device: "D", app: "com.example")
        #expect(store.load("/books") == SyncState(Self.state().ends))
        try store.save(Self.state())
        try store.save(Self.state("/others"))
        #expect(store.load("/books") == Self.state())
        #expect(try store.paths(ofOthersThan: Self.state()).contains(ExactText("p/Emma")))
        #expect(try store.paths(ofOthersThan: Self.state("/third")).count == 4)
        var status = stat()
        #expect(
            stat(folder.path("state/sync/D/com.example"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path("state/sync/D/com.example"))
        #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".json") })
    }

    /// The state of a sync of three files in a folder.
    private static func synced(_ source: String) throws -> SyncState {
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: false)
        var state = SyncState(SyncState.Ends(device: "D", app: "com.example", source: source))
        state.kind = .folder
        for name in ["a", "b", "c"] {
            let file = source + "/" + name
            try Data(name.utf8).write(to: URL(fileURLWithPath: file))
            let stamp = try #require(SourceStamp(path: file)).text
            state[name] = SyncRecord(
                key: name, item: name, stamp: name == "a" ? stamp + " own 1 2 3" : stamp, path: "p/" + name,
                isOwned: true)
        }
        return state
    }

    @Test("The state of a source whose folder was moved is taken to the new place")
    func moved() throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path("state"), device: "D", app: "com.example")
        let (old, new) = (folder.path("old"), folder.path("new"))
        let state = try Self.synced(old)
        try store.save(state)
        try FileManager.default.moveItem(atPath: old, toPath: new)
        let found = try #require(try store.moved(to: SourcePlace(new)))
        #expect(found.ends.source == new && found.former == old && found.kind == .folder)
        #expect(found.records == state.records)
        // Its books are not those of another source.
        #expect(try store.paths(ofOthersThan: found).isEmpty)
        #expect(store.load(old) == state)
        try store.save(found)
        #expect(store.load(new).records == state.records && store.load(new).former == nil)
        #expect(store.load(old).records.isEmpty)
    }

    @Test(
        "A folder with some of the books of another source is another source",
        arguments: ["there", "copied", "changed", "library", "several"])
    func notMoved(_ reason: String) throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path("state"), device: "D", app: "com.example")
        let (old, new) = (folder.path("old"), folder.path("new"))
        var state = try Self.synced(old)
        if reason == "library" { state.kind = .calibre }
        try store.save(state)
        if reason == "several" {
            var second = SyncState(
                SyncState.Ends(device: "D", app: "com.example", source: folder.path("other")))
            (second.kind, second.records) = (state.kind, state.records)
            try store.save(second)
        }
        if reason == "copied" {
            try FileManager.default.copyItem(atPath: old, toPath: new)
            try FileManager.default.removeItem(atPath: old)
        } else {
            try FileManager.default.moveItem(atPath: old, toPath: new)
        }
        if reason == "there" {
            try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: false)
        }
        for name in ["a", "b"] where reason == "changed" {
            try Data("second edition".utf8).write(to: URL(fileURLWithPath: new + "/" + name))
        }
        #expect(try store.moved(to: SourcePlace(new)) == nil)
    }

    @Test("A folder is also moved if a symbolic link takes its place, or if some of its files changed")
    func linked() throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path("state"), device: "D", app: "com.example")
        let (old, new) = (folder.path("old"), folder.path("new"))
        try store.save(try Self.synced(old))
        try FileManager.default.moveItem(atPath: old, toPath: new)
        try FileManager.default.createSymbolicLink(atPath: old, withDestinationPath: new)
        try Data("second edition".utf8).write(to: URL(fileURLWithPath: new + "/c"))
        #expect(try store.moved(to: SourcePlace(old))?.former == old)
    }

    @Test("A name that a device gives itself leads nowhere else")
    func hostileNames() throws {
        let folder = try TemporaryFolder()
        for name in ["../../evil", "..", "", "a/b", String(repeating: "x", count: 5000), "\u{0}"] {
            let store = SyncStateStore(parent: folder.path("state"), device: name, app: name)
            let state = SyncState(SyncState.Ends(device: name, app: name, source: "/s"))
            try store.save(state)
            #expect(store.load("/s") == state)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
    }

    @Test("A second run waits for the first one, and a cancel ends the waiting")
    func turns() throws {
        let folder = try TemporaryFolder()
        let store = SyncStateStore(parent: folder.path, device: "D", app: "A")
        var lock: FolderLock? = try store.lock(waiting: {}, isCancelled: { false })
        var waits = 0
        let error = #expect(throws: (any Error).self) {
            _ = try store.lock(waiting: { waits += 1 }, isCancelled: { true })
        }
        #expect("\(error as Any)".contains("cancelled") && waits == 1)
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try store.lock(waiting: { waits += 1 }, isCancelled: { false })
        #expect(waits == 1)
    }
}

extension SyncState {
    /// The state that a file with these bytes has for this source and device.
    fileprivate init?(_ bytes: [UInt8], _ ends: Ends) {
        let lines: BookLines.Lines = { take in
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            return lines.last?.isEmpty == true && lines.dropLast().allSatisfy(take)
        }
        self.init(lines, device: ends.device, app: ends.app, source: ends.source)
    }
}
