import Foundation
import OverlayKit
import OverlayKitTesting
import Testing

// Example: testing.md
@Suite("Paperboat runs on a host in memory")
struct PaperboatTests {
    @Test("Lists the books on the device")
    func lists() throws {
        let host = MemoryHost()
        host.put("Emma.epub", "Title: Emma")
        let overlay = try PaperboatOverlay(host: host.services())
        var books: [Book] = []
        try overlay.books(BooksOptions()) { books.append($0) }
        #expect(books.map(\.path) == ["/Documents/Emma.epub"])
    }

    @Test("Says that a device is full")
    func full() throws {
        let host = MemoryHost()
        host.fault = { operation, _ in operation == "push" ? .noSpace : nil }
        let overlay = try PaperboatOverlay(host: host.services())
        var rows: [ItemResult] = []
        try overlay.uploadBooks([host.item("Emma.epub", "text")], options: UploadOptions()) {
            rows.append($0)
        }
        #expect(rows.map(\.status) == [.noSpace])
        #expect(host.documents.isEmpty)
    }
}
// End

@Suite("The page about tests of overlays is up to date")
struct TestingPageTests {
    @Test("The page shows the compiled example word for word")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/overlays/testing.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let start = try #require(source.range(of: "// Example: testing.md\n")).upperBound
        let end = try #require(source.range(of: "// End\n")).lowerBound
        #expect(page.contains(source[start..<end]))
    }
}
