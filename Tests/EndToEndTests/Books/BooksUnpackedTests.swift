import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A book that Books keeps unpacked stays unpacked on the device")
struct BooksUnpackedTests {
    @Test("A replacement is a folder with all parts of the new book, and what was fetched is the same book")
    func replacing() throws {
        let file = try RealBooks.developersReference()
        let parts = try SimulatedBooks.unpacked(file)
        var book = SimulatedBook(
            path: "AAAABBBBCCCCDDDD.epub", title: "developers-reference",
            artist: "Developer's Reference Team", persistentID: "AAAABBBBCCCCDDDD")
        book.files = parts
        book.files["older.xhtml"] = Array("<html/>".utf8)
        book.lists = [.sync, .synchronised]
        let bench = try BooksBench(populated: false)
        try bench.books.populate([book])
        try bench.allowWriting()

        let replaced = try bench.json("upload", file.path, "--on-conflict", "replace")
        #expect(replaced.texts("results", "status") == ["replaced"], "\(replaced.errors)")
        let path = try #require(replaced.texts("results", "path").first)
        #expect(try bench.names().filter { $0.hasSuffix(".epub") } == [path])
        for (part, content) in parts { #expect(bench.bytes(path + "/" + part) == Data(content), "\(part)") }
        #expect(bench.bytes(path + "/older.xhtml") == nil)

        let get = try bench.json("get", path, "-o", bench.bench.folder.path("fetched"))
        let fetched = try #require(get.texts("results", "path").first)
        for policy in ["protect", "replace"] {
            let again = try bench.json("upload", fetched, "--on-conflict", policy)
            #expect(again.texts("results", "status") == ["skipped"], "\(again.errors)")
            #expect(again.texts("results", "path") == [path])
        }
        #expect(try bench.names().filter { $0.hasSuffix(".epub") } == [path])
    }
}
