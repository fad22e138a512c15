import BookFolders
import OverlayKitTesting
import CSQLite
import OverlayABI
import OverlayKit
import Testing

@testable import Kindle

@Suite("Kindle's documents are served without the faults of the original")
struct KindleOverlayTests {
    let host = MemoryHost()

    func overlay() throws -> KindleOverlay { try KindleOverlay(host: host.services()) }

    func books(covers: Bool = false) throws -> [Book] {
        var books: [Book] = []
        try overlay().books(BooksOptions(withCovers: covers)) { books.append($0) }
        return books
    }

    func content(_ title: String, cover: String? = nil) -> String {
        "Title: \(title)\n" + (cover.map { "Cover: \($0)\n" } ?? "") + String(repeating: "x", count: 10_000)
    }

    @Test("The format is the text after the last dot, so dots in a title do no harm")
    func dots() throws {
        host.put("Dr. Jekyll vs. Mr. Hyde.mobi", content("Dr. Jekyll vs. Mr. Hyde"))
        host.put("Vol. 1.PDF", content("Volume"))
        host.put("x.epub", content("Not enabled"))
        #expect(try books().map(\.title) == ["Dr. Jekyll vs. Mr. Hyde", "Volume"])
    }

    @Test("A book whose cover cannot be read is listed anyway")
    func coverless() throws {
        host.put("a.mobi", content("A", cover: "a picture"))
        host.put("b.mobi", content("B"))
        host.put("c.mobi", "BROKEN" + String(repeating: "x", count: 10_000))
        let books = try books(covers: true)
        #expect(books.map(\.title) == ["A", "B", "c"])
        #expect(books.map { $0.coverData != nil } == [true, false, false])
    }

    @Test("The formats are the enabled ones, in their order and in any case")
    func formats() throws {
        #expect(try overlay().settings().formats == ["mobi", "pdf"])
        host.texts["kindle_enabled_formats"] = ["AZW3", "Mobi", "azw3"]
        #expect(try overlay().settings().formats == ["azw3", "mobi"])
        host.texts = ["kindle_enabled_formats": [], "kindle_supported_formats": ["PDF"]]
        #expect(try overlay().settings().formats == ["pdf"])
    }

    /// Weakness 8 in docs/weaknesses.md.
    @Test("A file is named after title and first author, and does not replace another file")
    func names() throws {
        var rows: [ItemResult] = []
        try overlay().uploadBooks(
            [
                host.item("1.mobi", "one", title: "AC/DC", authors: ["A. B.", "C"]),
                host.item("2.mobi", "two2", title: "AC-DC", authors: ["A. B.", "C"]),
                host.item("3.pdf", "three", title: "Alone"), host.item("4.epub", "four4", title: "Wrong"),
            ], options: UploadOptions()
        ) { rows.append($0) }
        rows.sort { $0.index < $1.index }
        #expect(rows.map(\.path) == ["AC-DC-A. B.mobi", "AC-DC-A. B (2).mobi", "Alone.pdf", nil])
        #expect(rows[3].status == .unsupportedFormat)
    }

    @Test("Calibre's cache in the app is used for files of the same size, where it can be reached")
    func deviceCache() throws {
        host.put("a.mobi", content("In the file"))
        host.put("b.mobi", content("Also in the file"))
        let size = content("In the file").utf8.count
        let cache = try database(
            """
            PRAGMA user_version = 1;
            CREATE TABLE metadata(authors TEXT, author_sort TEXT, dateadded INTEGER, filename TEXT UNIQUE, size INTEGER,
                thumb_data BLOB, title TEXT, title_sort TEXT, uuid TEXT);
            INSERT INTO metadata VALUES('A; B', 'A', 1400000000, 'a.mobi', \(size), '/9j/4AAQ', 'size', 'T', 'u-1');
            INSERT INTO metadata VALUES('A', 'A', 1, 'b.mobi', 1, NULL, 'old', 'old', NULL);
            """)
        host.folders.insert("/Library")
        host.files["/Library/calibre_metadata.sqlite"] = MemoryHost.File(
            bytes: cache, modified: 1, created: 1)
        #expect(try books().map(\.title) == ["In the file", "Also in the file"])
        host.stored = [:]
        host.roots[0].granted = true
        let books = try books(covers: true)
        #expect(books.map(\.title) == ["size", "Also in the file"])
        #expect(books[0].authors == ["A", "B"])
        #expect(books[0].uuid == "u-1")
        #expect(books[0].dateAdded == 1_400_000_000)
        #expect(books[0].coverData == [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10])
        #expect(!host.operations.contains { $0.hasPrefix("push") || $0.hasPrefix("write") })
    }

    /// Weakness 9 in docs/weaknesses.md.
    @Test(
        "A damaged cache on the device does no harm",
        arguments: ["", "SQLite format 3\u{0}garbage", "x"])
    func damagedCache(content bytes: String) throws {
        host.roots[0].granted = true
        host.put("a.mobi", content("A"))
        host.folders.insert("/Library")
        host.files["/Library/calibre_metadata.sqlite"] = MemoryHost.File(
            bytes: Array(bytes.utf8), modified: 1, created: 1)
        #expect(try books().map(\.title) == ["A"])
    }

    @Test("With caching disabled nothing is kept, and calibre's cache is deleted")
    func cachingDisabled() throws {
        host.roots[0].granted = true
        host.put("a.mobi", content("A"))
        host.folders.insert("/Library")
        host.files["/Library/calibre_metadata.sqlite"] = MemoryHost.File(bytes: [1], modified: 1, created: 1)
        #expect(try books().map(\.title) == ["A"])
        #expect(!host.stored.isEmpty)
        host.switches["kindle_caching_disabled"] = true
        #expect(try books().map(\.title) == ["A"])
        #expect(host.stored.isEmpty)
        #expect(host.files["/Library/calibre_metadata.sqlite"] == nil)
        #expect(try books().map(\.title) == ["A"])
    }

    @Test("Books are fetched many at once and deleted")
    func fetchAndDelete() throws {
        host.put("a.mobi", "one")
        host.put("b.mobi", "two")
        var rows: [ItemResult] = []
        try overlay().prepareAddableBooks(["a.mobi", "b.mobi"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.fetched, .fetched])
        try overlay().deleteBooks(["b.mobi"]) { rows.append($0) }
        #expect(host.documents == ["a.mobi"])
    }

    @Test("Every switch of the original is an option, and in the help")
    func descriptor() {
        let descriptor = KindleOverlay.descriptor
        #expect(descriptor.appIDs == ["com.amazon.Lassen"])
        #expect(descriptor.settableMetadata.isEmpty)
        for option in descriptor.options { #expect(descriptor.help?.contains(option.key) == true) }
        let keys = descriptor.options.map(\.key)
        for key in ["kindle_enabled_formats", "kindle_supported_formats", "kindle_caching_disabled"] {
            #expect(keys.contains(key))
        }
    }

    /// The bytes of a database made by these statements.
    private func database(_ sql: String) throws -> [UInt8] {
        var handle: OpaquePointer?
        try #require(sqlite3_open(":memory:", &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        var size: Int64 = 0
        let bytes = try #require(sqlite3_serialize(handle, "main", &size, 0))
        defer { sqlite3_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }
}
