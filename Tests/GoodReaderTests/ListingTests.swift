import OverlayKitTesting
import OverlayKit
import SimulatedDevice
import Testing

@testable import GoodReader

@Suite("GoodReader's documents are listed in all folders") struct ListingTests {
    let bench: GoodReaderBench

    init() throws { bench = try GoodReaderBench() }

    @Test("Documents in deep folders are listed, each folder as a collection")
    func deep() throws {
        bench.host.put("top.pdf", bench.document("Top", "A"))
        bench.host.put("A/B/C/D/deep.pdf", bench.document("Deep", "B"))
        let books = try bench.books()
        #expect(books.map(\.path) == ["A/B/C/D/deep.pdf", "top.pdf"])
        #expect(books.map(\.title) == ["Deep", "Top"] && books.map(\.authors) == [["B"], ["A"]])
        #expect(books.map(\.collections) == [["A/B/C/D"], []])
        #expect(books.allSatisfy { $0.format == "application/pdf" && ($0.size ?? 0) > 10_000 })
    }

    @Test("PDF is listed and taken, and other formats when the switch says so")
    func formats() throws {
        for name in ["a.pdf", "b.txt", "c.docx", "d.epub", "e.pages"] {
            bench.host.put(name, bench.document(name))
        }
        #expect(try bench.books().map(\.path) == ["a.pdf"])
        #expect(try bench.overlay().settings().formats == ["pdf"])
        bench.host.texts["goodreader_formats"] = ["docx", "PDF", "epub", "txt", "docx"]
        #expect(try bench.overlay().settings().formats == ["docx", "pdf", "txt"])
        #expect(try bench.books().map(\.path) == ["a.pdf", "b.txt", "c.docx"])
        bench.host.texts["goodreader_formats"] = ["epub"]
        #expect(try bench.overlay().settings().formats == ["pdf"])
    }

    @Test("The preferences offer the switches that decide where --on-conflict is not given")
    func options() {
        let options = GoodReaderOverlay.descriptor.options
        #expect(
            options.map(\.key) == [
                "goodreader_formats", "goodreader_caching_disabled", "goodreader_protect_rb",
                "goodreader_update_rb", "goodreader_replace_rb",
            ])
    }

    @Test("Previews are the covers, before pictures in the documents, and are read once")
    func previews() throws {
        bench.host.put("A/a.pdf", bench.document("A"))
        bench.host.put("b.pdf", bench.document("B", cover: "a scan"))
        bench.host.put("c.pdf", bench.document("C", cover: "a scan"))
        bench.host.put("d.pdf", bench.document("D"))
        try bench.putPreview("A/a.pdf", GoodReaderBench.jpeg)
        try bench.putPreview("b.pdf", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
        let books = try bench.books(covers: true)
        #expect(books.map(\.coverMediaType) == ["image/jpeg", "image/png", "image/jpeg", nil])
        #expect(books[0].coverData == GoodReaderBench.jpeg && books[0].coverSize == 3_004)
        #expect(books[1].coverData?.count == 9 && books[2].coverData == Array("a scan".utf8))
        bench.host.resetCounts()
        #expect(try bench.books(covers: true) == books)
        let reads = bench.host.operations.filter { !$0.hasPrefix("list") && !$0.hasPrefix("stat") }
        #expect(reads.count == 1 && reads[0].hasSuffix("/d.pdf"))
    }

    @Test("A preview that GoodReader draws later is found later")
    func laterPreview() throws {
        bench.host.put("a.pdf", bench.document("A"))
        #expect(try bench.books(covers: true)[0].coverData == nil)
        try bench.putPreview("a.pdf", GoodReaderBench.jpeg)
        #expect(try bench.books(covers: true)[0].coverData == GoodReaderBench.jpeg)
        #expect(try bench.books()[0].coverSize == 3_004)
    }

    @Test(
        "A preview that is not a database, has no picture, is cut short or endless is not a cover, and harms nothing"
    )
    func hostilePreviews() throws {
        for name in ["none", "text", "cut", "large"] { bench.host.put("\(name).pdf", bench.document(name)) }
        let folder = "Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0/"
        bench.put(folder + "none.pdf", Array(repeating: 0x41, count: 50_000))
        try bench.putPreview("text.pdf", Array("no picture".utf8))
        try bench.putPreview("cut.pdf", GoodReaderBench.jpeg)
        let whole = try #require(bench.host.files["/" + folder + "cut.pdf"]).bytes
        bench.put(folder + "cut.pdf", Array(whole.prefix(5_000)))
        try bench.putPreview("large.pdf", GoodReaderBench.jpeg + [UInt8](repeating: 1, count: 400_000))
        let books = try bench.books(covers: true)
        #expect(books.count == 4 && books.allSatisfy { $0.coverData == nil })
    }

    @Test("The first page's picture is found at the beginning of a large file of previews")
    func longPreview() throws {
        bench.host.put("a.pdf", bench.document("A"))
        try bench.putPreview("a.pdf", GoodReaderBench.jpeg, morePages: 200)
        let all = try #require(bench.host.files.first { $0.key.hasSuffix("Previews/0/a.pdf") }).value.bytes
        bench.host.resetCounts()
        #expect(try bench.books(covers: true)[0].coverData == GoodReaderBench.jpeg)
        #expect(all.count > 500_000 && bench.host.bytesRead < 300_000)
    }

    @Test("Where iOS opens the documents only, everything but previews works, and nothing else is asked for")
    func documentsOnly() throws {
        let bench = try GoodReaderBench(container: false)
        bench.host.put("A/a.pdf", bench.document("A", cover: "a scan"))
        try bench.putPreview("A/a.pdf", GoodReaderBench.jpeg)
        try bench.putCache([GoodReaderCacheRow(path: "A/a.pdf", title: "Cached", size: 10_024)])
        let books = try bench.books(covers: true)
        #expect(books.map(\.title) == ["A"] && books[0].coverData == Array("a scan".utf8))
        #expect(!bench.host.operations.contains { $0.contains("/Library") })
        #expect(try bench.overlay().settings().missing.map(\.ability) == [.collections])
    }

    @Test("Where iOS opens nothing, every ability is missing with iOS's own reason")
    func nothing() throws {
        bench.host.roots = [RootAccess(root: .documents, granted: false, reason: "No sharing.", hint: "Ask.")]
        let missing = try bench.overlay().settings().missing
        #expect(missing.count > 4 && missing.allSatisfy { $0.reason == "No sharing." })
        #expect(throws: OverlayError.self) { try bench.books() }
    }
}
