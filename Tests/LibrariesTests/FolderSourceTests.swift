import Platform
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
        let listing = try FolderSource.list(folder.path, formats: ["epub"])
        #expect(listing.links.map(\.text).sorted() == ["A/up", "loop", "out.epub", "self.epub"])
        let entry = try #require(listing.entries.last)
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

    @Test("A database that is not a regular file is named as such", arguments: ["folder", "pipe", "link"])
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

    @Test("A stamp is valid until the file or its sidecar changes")
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
        #expect(try FolderSource.list(folder.path, formats: ["epub"]).unnamed == "\u{FFFD}.epub")
        #expect(try FolderSource.list(folder.path, formats: ["pdf"]).unnamed == nil)
    }

    @Test("A folder whose name is not text is named, because its books may be those that seem to be gone")
    func invalidFolder() throws {
        try put("a.epub")
        let bytes = Array(folder.path.utf8) + [UInt8(ascii: "/"), 0xFF, 0]
        let status = bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { path in
            path.baseAddress.map { mkdir($0, 0o700) } ?? -1
        }
        #expect(status == 0)
        let listing = try FolderSource.list(folder.path, formats: ["epub"])
        #expect(listing.entries.map(\.item) == ["a.epub", "\u{FFFD}"])
        #expect(listing.entries.last?.problem?.message == "The name of the folder is not valid UTF-8.")
        #expect(listing.unnamed == "\u{FFFD}" && listing.present.count == 1)
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
        try place.check(last: nil)
        try put("metadata.db")
        #expect(try SourcePlace(folder.path).kind == .calibre)
        let wish = try SourcePlace(folder.path, asFolder: true)
        #expect(wish.kind == .folder)
        try wish.check(last: .calibre)
    }

    @Test(
        "A folder that has what calibre leaves is a library that lost its database, unless it was synced as a folder",
        arguments: [
            "metadata_db_prefs_backup.json", ".caltrash/b/1/x", ".calnotes/notes.db", "full-text-search.db",
            "Jane Austen/Emma (7)/metadata.opf",
        ])
    func lostDatabase(trace: String) throws {
        try put("Jane Austen/Emma (7)/Emma.epub")
        try SourcePlace(folder.path).check(last: nil)
        try put(trace, #"<dc:identifier opf:scheme="calibre" id="calibre_id">7</dc:identifier>"#)
        let place = try SourcePlace(folder.path)
        #expect(place.kind == .folder)
        let error = #expect(throws: HostError.self) { try place.check(last: nil) }
        #expect(error?.code == .inputUnreadable && error?.hint?.contains("--as-folder") == true)
        try place.check(last: .folder)
        try SourcePlace(folder.path, asFolder: true).check(last: nil)
    }

    @Test(
        "A folder of another kind with such a name is not a library",
        arguments: [
            ("Ann/Emma (2)/metadata.opf", "<meta name=\"overlayhost:backup\" content=\"\"/>"),
            ("Ann/Emma (2)/metadata.opf", #"id="calibre_id">7<"#),
            ("Ann/Emma/metadata.opf", #"id="calibre_id">7<"#),
            ("Ann/Emma ()/metadata.opf", #"id="calibre_id"><"#),
            ("Emma (7)/metadata.opf", #"id="calibre_id">7<"#),
        ])
    func noLibrary(name: String, text: String) throws {
        try put(name, text)
        try SourcePlace(folder.path).check(last: nil)
    }

    @Test("A book that is there in no accepted format is named once, and other files are not")
    func unsupported() throws {
        for name in [
            "A/Emma.mobi", "A/Emma.azw3", "A/Susan.epub", "A/Susan.pdf", "note.txt", "image.jpg", "make.rb",
            "track.m4b",
            "B/Susan.PDF",
            ".hidden.pdf", "Dune.epub.pdf",
        ] { try put(name) }
        let listing = try FolderSource.list(folder.path, formats: ["epub"])
        #expect(listing.entries.map(\.item) == ["A/Susan.epub"])
        #expect(
            listing.unsupported == [
                UnsupportedBook(item: "A/Emma.azw3", formats: ["azw3", "mobi"]),
                UnsupportedBook(item: "B/Susan.PDF", formats: ["pdf"]),
                UnsupportedBook(item: "Dune.epub.pdf", formats: ["pdf"]),
            ])
        #expect(
            listing.unsupported[0].row("Nova").reason
                == "None of its formats can be synced to Nova: AZW3, MOBI.")
        #expect(try FolderSource.list(folder.path, formats: []).unsupported.isEmpty)
    }
}
