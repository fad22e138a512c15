import Foundation
import HostErrors
import TestSupport
import Testing

@testable import Libraries

@Suite("A folder of books is listed without opening a file")
struct FolderSourceTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func put(_ name: String, _ content: String = "x") throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: url)
    }

    private func items(_ formats: [String] = ["epub"]) throws -> [String] {
        try FolderSource.list(folder.path, formats: formats).entries.map(\.item)
    }

    @Test("Books at any depth have their path as item; other files, hidden ones and links do not count")
    func listing() throws {
        for name in [
            "b.epub", "A/c.EPUB", "A/B/d.epub", "a.txt", ".hidden/e.epub", ".f.epub", "g.epub/x.epub",
        ] {
            try put(name)
        }
        try put("line\nbreak.epub", "")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.path("loop"), withDestinationPath: folder.path)
        try manager.createSymbolicLink(atPath: folder.path("A/up"), withDestinationPath: "..")
        try manager.createSymbolicLink(atPath: folder.path("out.epub"), withDestinationPath: "/etc/passwd")
        try manager.createSymbolicLink(atPath: folder.path("self.epub"), withDestinationPath: "self.epub")
        #expect(mkfifo(folder.path("pipe.epub"), 0o600) == 0)
        #expect(try items() == ["A/B/d.epub", "A/c.EPUB", "b.epub", "line\nbreak.epub"])
        #expect(try items(["txt"]) == ["a.txt"])
        #expect(try items([]) == ["A/B/d.epub", "A/c.EPUB", "b.epub", "line\nbreak.epub"])
        let entry = try #require(try FolderSource.list(folder.path, formats: ["epub"]).entries.last)
        #expect(entry.size == 0 && entry.file == folder.path("line\nbreak.epub") && entry.problem == nil)
    }

    @Test("Names that differ only in their Unicode form are two books, each with its own sidecar")
    func unicodeForms() throws {
        try put("caf\u{E9}.epub")
        try put("cafe\u{301}.epub", "yy")
        try put("\u{301}dir/\u{301}.epub", "zzz")
        let entries = try FolderSource.list(folder.path, formats: ["epub"]).entries
        #expect(entries.map(\.size) == [2, 1, 3])
        let stamp = entries[0].stamp
        try put("caf\u{E9}.opf", "of the other")
        let now = try FolderSource.list(folder.path, formats: ["epub"]).entries
        #expect(now[0].stamp == stamp && now[1].stamp.contains("own"))
    }

    @Test(
        "A folder that cannot be read becomes an entry where that is asked for", .enabled(if: geteuid() != 0))
    func namedUnreadable() throws {
        try put("A/B/c.epub")
        try put("d.epub")
        chmod(folder.path("A/B"), 0)
        defer { chmod(folder.path("A/B"), 0o700) }
        let entries = try FolderSource.list(folder.path, formats: ["epub"], namesUnreadable: true).entries
        #expect(entries.map(\.item) == ["A/B", "d.epub"])
        #expect(entries.map { $0.problem == nil } == [false, true])
    }

    @Test("A database that is no regular file is named as such", arguments: ["folder", "pipe", "link"])
    func oddDatabase(kind: String) throws {
        let place = folder.path("metadata.db")
        switch kind {
        case "folder": #expect(mkdir(place, 0o700) == 0)
        case "pipe": #expect(mkfifo(place, 0o600) == 0)
        default: #expect(symlink("/etc/passwd", place) == 0)
        }
        let error = #expect(throws: HostError.self) { try SourcePlace(folder.path) }
        #expect(error?.code == .inputUnreadable && error?.message.contains("not a regular file") == true)
    }

    @Test("A stamp holds as long as file and sidecar do, and not longer")
    func stamps() throws {
        try put("a.epub")
        func stamp() throws -> String {
            try #require(try FolderSource.list(folder.path, formats: ["epub"]).entries.first).stamp
        }
        var seen: Set<String> = [try stamp()]
        #expect(try stamp() == seen.first)
        try put("metadata.opf", "one")
        #expect(seen.insert(try stamp()).inserted)
        try put("a.opf", String(repeating: "x", count: 1 << 20))
        #expect(seen.insert(try stamp()).inserted)
        try put("metadata.opf", "a book with a sidecar of its own has no part in this one")
        #expect(!seen.insert(try stamp()).inserted)
        try put("a.epub", "y")
        #expect(seen.insert(try stamp()).inserted)
        try put("b.opf", "of another book")
        #expect(!seen.insert(try stamp()).inserted)
    }

    @Test("A folder that cannot be read fails the whole listing", .enabled(if: geteuid() != 0))
    func unreadable() throws {
        try put("A/B/c.epub")
        chmod(folder.path("A/B"), 0)
        defer { chmod(folder.path("A/B"), 0o700) }
        let error = #expect(throws: HostError.self) { try items() }
        #expect(error?.code == .inputUnreadable && error?.subject?.hasSuffix("A/B/") == true)
        #expect(error?.exitStatus == .noInput)
    }

    @Test("Folders deeper than any library fail the listing instead of ending the program")
    func deep() throws {
        var path = folder.path
        for _ in 0..<120 {
            path += "/d"
            #expect(mkdir(path, 0o700) == 0)
        }
        #expect(throws: HostError.self) { try items() }
    }

    @Test("A name that is not text is named, and the others are listed")
    func invalidName() throws {
        try put("a.epub")
        let bytes = Array(folder.path.utf8) + [UInt8(ascii: "/"), 0xFF] + Array(".epub".utf8) + [0]
        let descriptor = bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { path in
            path.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
        }
        #expect(descriptor >= 0)
        close(descriptor)
        let entries = try FolderSource.list(folder.path, formats: ["epub"]).entries
        #expect(entries.count { $0.problem == nil } == 1)
        #expect(entries.count { $0.problem?.code == .inputUnreadable } == 1)
    }

    @Test("A source is a folder, a library, or an error that says what is missing")
    func places() throws {
        #expect(throws: HostError.self) { try SourcePlace("") }
        #expect(throws: HostError.self) { try SourcePlace(folder.path("none")) }
        try put("file", "x")
        #expect(throws: HostError.self) { try SourcePlace(folder.path("file")) }
        let place = try SourcePlace(folder.path + "/./")
        #expect(place.kind == .folder && place.path == folder.path)
        #expect(throws: HostError.self) { try place.check(last: .calibre) }
        try place.check(last: .folder)
        try put("metadata_db_prefs_backup.json")
        let error = #expect(throws: HostError.self) { try SourcePlace(folder.path) }
        #expect(error?.code == .inputUnreadable)
        try put("metadata.db")
        #expect(try SourcePlace(folder.path).kind == .calibre)
    }
}
