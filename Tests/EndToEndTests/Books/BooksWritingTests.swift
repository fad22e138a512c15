import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books are added and deleted only on demand, and the lists survive every failure")
struct BooksWritingTests {
    private func list(_ bench: BooksBench, _ path: String) throws -> PropertyList {
        try PropertyList(parsing: try #require(bench.bytes(path)), limits: .file)
    }

    private func backups(_ bench: BooksBench, _ folder: String = "") throws -> [String] {
        try bench.names(folder).filter { $0.contains(".overlayhost-") }
    }

    @Test("Without the switch nothing is written, and the refusal says why", arguments: BooksBench.versions)
    func off(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        let before = try bench.names()
        let upload = try bench.json("upload", RealBooks.history("it").path)
        #expect(upload.status != 0)
        let delete = try bench.json("delete", "Guide.epub", "--yes")
        #expect(delete.status != 0)
        for answer in [upload, delete] {
            let words =
                (answer.error("hint") ?? "") + answer.texts("results", "hint").joined()
                + answer.texts("results", "message").joined() + answer.errors
            #expect(words.contains("ibooks_write"), "\(words)")
        }
        #expect(try bench.names() == before)
    }

    @Test("Added books are there, named by the list, and known again", arguments: BooksBench.versions)
    func adding(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        try bench.allowWriting()
        let epub = try RealBooks.history("it")
        let pdf = bench.bench.folder.url.appendingPathComponent("leaflet.pdf")
        try SimulatedPDF(title: "A Leaflet", author: "Some Body").write(to: pdf)
        let upload = try bench.json("upload", epub.path, pdf.path)
        #expect(
            upload.texts("results", "status") == ["added", "added"],
            "\(upload.errors) \(upload.rows("results"))")
        let paths = upload.texts("results", "path")
        #expect(paths.map { $0.hasSuffix(".epub") } == [true, false])
        #expect(bench.bytes(paths[0]) == (try Data(contentsOf: epub)))
        let entries = try #require(try list(bench, "Books.plist")["Books"]?.array)
        let added = try #require(entries.first { $0["Path"]?.string == paths[0] })
        #expect(added["Persistent ID"]?.string.map { paths[0].hasPrefix($0) } == true)
        #expect(added["Name"]?.string?.contains("Debian") == true)
        #expect(added["Package Hash"]?.string?.count == 32)
        let books = try bench.json("books").texts("books", "path")
        #expect(Set(paths).isSubset(of: Set(books)))
        #expect(try bench.json("upload", epub.path).texts("results", "status") == ["skipped"])
    }

    @Test(
        "The list keeps its form and all unknown values, and the old one stays beside it",
        arguments: [true, false])
    func keepsKeys(binary: Bool) throws {
        let bench = try BooksBench(binary: binary ? [.synchronised] : [])
        try bench.allowWriting()
        let before = try #require(bench.bytes("Books.plist"))
        _ = try bench.json("upload", RealBooks.history("it").path)
        let after = try #require(bench.bytes("Books.plist"))
        #expect(PropertyList.Form(of: after) == (binary ? .binary : .xml))
        let content = try PropertyList(parsing: after)
        #expect(content["Version"] == "1")
        let old = try PropertyList(parsing: before)
        #expect(content["Books"]?.array?.prefix(2) == old["Books"]?.array?.prefix(2))
        #expect(content["Books"]?.array?.first?["Known Only To Books"] == "kept")
        let copies = try backups(bench)
        #expect(copies.count == 1)
        #expect(bench.bytes(copies[0]) == before)
    }

    @Test("Only the first copy of a list and the last five are kept")
    func fewCopies() throws {
        let bench = try BooksBench()
        try bench.allowWriting()
        let book = try RealBooks.history("it").path
        for _ in 1...8 { _ = try bench.json("upload", book, "--on-conflict", "replace") }
        #expect(try backups(bench).count == 6)
    }

    @Test("A deleted book is in no list and its files are gone", arguments: BooksBench.versions)
    func deleting(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        try bench.allowWriting()
        let delete = try bench.json(
            "delete", "376FAA7E4CF81729.epub", "Purchases/Paper.pdf", "Stray.epub", "--yes")
        #expect(delete.texts("results", "status") == ["deleted", "deleted", "deleted"], "\(delete.errors)")
        #expect(try bench.books.titles(.sync) == [])
        #expect(try bench.books.titles(.synchronised) == [""])
        #expect(try bench.books.titles(.purchases) == ["", "In the Cloud"])
        #expect(bench.bytes("Sync/Artwork/376FAA7E4CF81729") == nil)
        let names = try bench.names()
        #expect(!names.contains("376FAA7E4CF81729.epub") && !names.contains("Stray.epub"))
        #expect(try bench.names("Purchases").contains("Bought.epub"))
        #expect(try bench.json("books").texts("books", "path") == ["Guide.epub", "Purchases/Bought.epub"])
    }

    @Test("If one list cannot be written, those before it are put back and nothing is deleted")
    func putBack() throws {
        let bench = try BooksBench()
        try bench.allowWriting()
        let before = ["Sync/Books.plist", "Books.plist", "Purchases/Purchases.plist"].map { bench.bytes($0) }
        try bench.bench.device.update { settings in
            settings.faults = FaultPlan([
                Fault.status(
                    10, at: .exactly("/Books/Purchases/Purchases.plist"), operation: "RENAME_PATH")
            ])
        }
        let delete = try bench.json("delete", "376FAA7E4CF81729.epub", "Purchases/Paper.pdf", "--yes")
        #expect(delete.status != 0)
        #expect(delete.texts("results", "status") == ["failed", "failed"])
        let after = ["Sync/Books.plist", "Books.plist", "Purchases/Purchases.plist"].map { bench.bytes($0) }
        #expect(after == before)
        #expect(try bench.names().contains("376FAA7E4CF81729.epub"))
        #expect(bench.bytes("Purchases/Paper.pdf") != nil)
    }

    /// Weakness 3 in docs/weaknesses.md.
    @Test("A book whose list cannot be written is reported, and not left behind")
    func withdrawn() throws {
        let bench = try BooksBench()
        try bench.allowWriting()
        let before = try bench.names()
        try bench.bench.device.update { settings in
            settings.faults = FaultPlan([
                Fault.status(10, at: .exactly("/Books/Books.plist"), operation: "RENAME_PATH")
            ])
        }
        let upload = try bench.json("upload", RealBooks.history("it").path)
        #expect(upload.texts("results", "status") == ["failed"])
        #expect(try bench.names().filter { !$0.contains(".overlayhost-") } == before)
    }

    /// Weakness 5 in docs/weaknesses.md.
    @Test("A book that is replaced stays until the new one is there")
    func replacing() throws {
        let bench = try BooksBench()
        try bench.allowWriting()
        let book = try RealBooks.history("it").path
        let first = try bench.json("upload", book)
        let old = try #require(first.texts("results", "path").first)
        let again = try bench.json("upload", book, "--on-conflict", "replace")
        #expect(again.texts("results", "status") == ["replaced"], "\(again.errors)")
        // The new file had its own name while the old one still existed.
        let path = try #require(again.texts("results", "path").first)
        #expect(path != old)
        #expect(bench.bytes(old) == nil)
        let before = try #require(bench.bytes(path))
        try bench.bench.device.update { settings in
            settings.faults = FaultPlan([
                Fault.status(10, at: .exactly("/Books/" + old), operation: "RENAME_PATH")
            ])
        }
        let failed = try bench.json("upload", book, "--on-conflict", "replace")
        #expect(failed.texts("results", "status") == ["failed"])
        #expect(bench.bytes(path) == before)
        #expect(try bench.books.titles(.synchronised)?.count == 3)
    }

    /// Weakness 6 in docs/weaknesses.md.
    @Test("The upload of a book that does not fit is not started")
    func noSpace() throws {
        let bench = try BooksBench { $0.freeBytes = 1000 }
        try bench.allowWriting()
        let before = try bench.names()
        let upload = try bench.json("upload", RealBooks.history("it").path)
        #expect(upload.status != 0)
        #expect(try bench.names() == before)
    }

    /// Weakness 8 in docs/weaknesses.md.
    @Test("Two books with the same title, or one with a slash, do not replace others")
    func collisions() throws {
        let bench = try BooksBench(populated: false)
        try bench.allowWriting()
        let folder = bench.bench.folder.url
        var files: [String] = []
        for (index, pages) in [1, 2].enumerated() {
            let url = folder.appendingPathComponent("copy\(index).pdf")
            try SimulatedPDF(title: "../../Both / Same", author: "Author \(index)", pages: pages).write(
                to: url)
            files.append(url.path)
        }
        let upload = try bench.json("upload", files[0], files[1])
        #expect(upload.texts("results", "status") == ["added", "added"], "\(upload.rows("results"))")
        let paths = upload.texts("results", "path")
        #expect(Set(paths).count == 2)
        #expect(paths.map { bench.bytes($0) } == files.map { FileManager.default.contents(atPath: $0) })
        #expect(try bench.json("books").rows("books").count == 2)
    }

    @Test("A file that is not a book is refused alone")
    func noBook() throws {
        let bench = try BooksBench()
        try bench.allowWriting()
        let bad = try bench.bench.file("bad.epub", "no book at all")
        let upload = try bench.json("upload", bad, RealBooks.history("it").path)
        #expect(upload.texts("results", "status") == ["failed", "added"], "\(upload.rows("results"))")
    }
}
