import OverlayKitTesting
import BookFolders
import Foundation
import OverlayKit
import SimulatedDevice
import Testing

@testable import GoodReader

@Suite("Documents are added, fetched, deleted and described, and never rewritten") struct ChangingTests {
    let bench: GoodReaderBench

    init() throws { bench = try GoodReaderBench() }

    @Test("Title and author edits are kept on the host and shown from then on; the file stays as it is")
    func edits() throws {
        let content = bench.document("Old", "A")
        bench.host.put("A/a.pdf", content)
        var book = try bench.books()[0]
        (book.title, book.authors, book.collections) = ("New", ["B", "C & D"], ["Elsewhere"])
        let rows = try bench.sync([book])
        #expect(rows.map(\.outcome) == [.updated] && rows.map(\.path) == ["A/a.pdf"])
        let books = try bench.books()
        #expect(books[0].title == "New" && books[0].authors == ["B", "C & D"])
        #expect(bench.host.content("A/a.pdf") == content && books[0].collections == ["A"])
        #expect(try bench.overlay().settings().settableMetadata == nil)
        #expect(GoodReaderOverlay.descriptor.settableMetadata == ["title", "authors"])
    }

    @Test("An edit that cannot be kept is a failed row, and what was entered before stays")
    func keptNowhere() throws {
        bench.host.put("a.pdf", bench.document("Old"))
        var book = try bench.books()[0]
        book.title = "Mine"
        _ = try bench.sync([book])
        bench.host.fault = { operation, key in
            operation == "storage.put" && key.contains("edits") ? .noSpace : nil
        }
        book.title = "Lost"
        #expect(try bench.sync([book]).map(\.status) == [.noSpace])
        bench.host.fault = { _, _ in nil }
        #expect(try bench.books().map(\.title) == ["Mine"])
    }

    @Test("Edits outlive the cache, also when nothing is cached at all")
    func editsOutliveCache() throws {
        bench.host.put("a.pdf", bench.document("Old"))
        bench.host.switches["goodreader_caching_disabled"] = true
        var book = try bench.books()[0]
        book.title = "Mine"
        _ = try bench.sync([book])
        for key in bench.host.stored.keys where key.hasPrefix("1 ") { bench.host.stored[key] = nil }
        #expect(try bench.books().map(\.title) == ["Mine"])
    }

    @Test("With caching switched off nothing is kept, and the cache that calibre's plugin left is deleted")
    func noCaching() throws {
        bench.host.put("a.pdf", bench.document("A"))
        try bench.putCache([GoodReaderCacheRow(path: "a.pdf", title: "Cached", size: 1)])
        _ = try bench.books(covers: true)
        #expect(bench.host.stored.keys.contains { $0.hasPrefix("1 ") })
        bench.host.switches["goodreader_caching_disabled"] = true
        #expect(try bench.books(covers: true).map(\.title) == ["A"])
        #expect(!bench.host.stored.keys.contains { $0.hasPrefix("1 ") })
        #expect(bench.host.files["/Library/calibre_metadata.sqlite"] == nil)
        #expect(try bench.books().map(\.title) == ["A"])
    }

    @Test("A document without a cover is added like any other, into the folder that was asked for")
    func upload() throws {
        let rows = try bench.upload(
            [bench.host.item("x.pdf", "content", title: "Bare")], UploadOptions(collections: ["Papers/2020"]))
        #expect(rows.map(\.path) == ["Papers/2020/Bare.pdf"] && rows.map(\.outcome) == [.added])
        #expect(bench.host.content("Papers/2020/Bare.pdf") == "content")
        #expect(try bench.books().map(\.collections) == [["Papers/2020"]])
        let again = try bench.upload([bench.host.item("y.pdf", "content", title: "Other")])
        #expect(again.map(\.outcome) == [.skipped] && again.map(\.path) == ["Papers/2020/Bare.pdf"])
        let other = try bench.upload([bench.host.item("z.epub", "book", title: "Z")])
        #expect(other.map(\.status) == [.unsupportedFormat])
    }

    @Test("calibre's values of a document are kept: uuid, title and the time it was added")
    func knownToCalibre() throws {
        let content = bench.document("In the file")
        bench.host.put("a.pdf", content)
        try bench.putCache([
            GoodReaderCacheRow(
                path: "a.pdf", title: "In calibre", titleSort: "calibre, In", authors: "A & B", uuid: "u-1",
                added: 1_400_000_000, size: Int64(content.utf8.count), thumbnail: GoodReaderBench.jpeg),
            GoodReaderCacheRow(path: "gone.pdf", title: "Gone", size: 5),
        ])
        let book = try bench.books(covers: true)[0]
        #expect(book.uuid == "u-1" && book.title == "In calibre" && book.titleSort == "calibre, In")
        #expect(book.authors == ["A", "B"] && book.dateAdded == 1_400_000_000)
        #expect(book.coverData == GoodReaderBench.jpeg)
        #expect(!bench.host.operations.contains { $0.hasPrefix("metadata") })
    }

    @Test(
        "calibre's values stay when the document gives the cover, whichever listing comes first",
        arguments: [true, false])
    func knownToCalibreWithoutCover(isPlainFirst: Bool) throws {
        let content = bench.document("In the file", cover: "a scan")
        bench.host.put("a.pdf", content)
        try bench.putCache([
            GoodReaderCacheRow(
                path: "a.pdf", title: "In calibre", authors: "A & B", uuid: "u-1",
                size: Int64(content.utf8.count))
        ])
        if isPlainFirst { #expect(try bench.books().map(\.title) == ["In calibre"]) }
        for _ in 0..<2 {
            let book = try bench.books(covers: true)[0]
            #expect(book.uuid == "u-1" && book.title == "In calibre" && book.authors == ["A", "B"])
            #expect(book.coverData == Array("a scan".utf8))
        }
        #expect(try bench.books().map(\.title) == ["In calibre"])
    }

    @Test("Nested documents of the same name are fetched each to its own file")
    func fetching() throws {
        bench.host.put("A/same.pdf", "first")
        bench.host.put("B/same.pdf", "second")
        let rows = try bench.rows { overlay, report in
            try overlay.prepareAddableBooks(["A/same.pdf", "B/same.pdf", "../x", "none.pdf"]) { report($0) }
        }
        let files = rows.compactMap(\.file)
        #expect(Set(files).count == 2)
        #expect(
            files.compactMap { bench.host.lent[$0.rawValue]?.bytes }
                == [Array("first".utf8), Array("second".utf8)])
        #expect(rows.map(\.status) == [.ok, .ok, .notFound, .notFound])
        var bytes: [UInt8] = []
        try bench.overlay().getFile("B/same.pdf") { chunk, _, _ in bytes += chunk }
        #expect(bytes == Array("second".utf8))
    }

    @Test("Deleting removes the document that was named and no other; folders stay")
    func deleting() throws {
        bench.host.put("A/a.pdf", bench.document("A"))
        bench.host.put("B/a.pdf", bench.document("A"))
        let rows = try bench.rows { overlay, report in
            try overlay.deleteBooks(["A/a.pdf", "A", "C/a.pdf"]) { report($0) }
        }
        #expect(rows.map(\.outcome) == [.deleted, .failed, .failed])
        #expect(bench.host.documents == ["B/a.pdf"] && bench.host.folders.contains("/Documents/A"))
    }

    @Test("The connection is there when documents can be reached, and ends when it is ejected")
    func presence() throws {
        let overlay = try bench.overlay()
        let device = Fingerprint(vendorID: 0x05AC, serial: "00008020001122334455002E")
        #expect(try overlay.canHandle(device).answer == .yes)
        #expect(try overlay.isUSBConnected([device], presenceOnly: true) == 0)
        try overlay.eject()
        #expect(try overlay.isUSBConnected([device], presenceOnly: true) == nil)
        #expect(try overlay.canHandle(device).reason == .ejected)
        overlay.postYankCleanup()
        #expect(try overlay.canHandle(device).answer == .yes)
    }
}
