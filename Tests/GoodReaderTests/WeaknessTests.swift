import OverlayKitTesting
import OverlayKit
import SimulatedDevice
import Testing

@testable import BookFolders
@testable import GoodReader

@Suite("The weaknesses of the original overlay for GoodReader are gone") struct WeaknessTests {
    let bench: GoodReaderBench

    init() throws { bench = try GoodReaderBench() }

    /// Weakness 8 in docs/weaknesses.md.
    @Test("Documents with equal titles, or with titles that are not file names, do not replace each other")
    func collisions() throws {
        bench.host.put("Same.pdf", bench.document("Same", "Somebody else"))
        let long = String(repeating: "ü", count: 300)
        let rows = try bench.upload([
            bench.host.item("1.pdf", "one", title: "Same", authors: ["A"]),
            bench.host.item("2.pdf", "two2", title: "Same", authors: ["B"]),
            bench.host.item("3.pdf", "three", title: "AC/DC: ../../x"),
            bench.host.item("4.pdf", "four4", title: long), bench.host.item("5.pdf", "five55", title: " .."),
        ])
        #expect(rows.map(\.outcome) == Array(repeating: .added, count: 5))
        let paths = rows.compactMap(\.path)
        #expect(Array(paths.prefix(3)) == ["Same (2).pdf", "Same (3).pdf", "AC-DC: ..-..-x.pdf"])
        #expect(paths[3].utf8.count <= 255 && paths[3].hasSuffix("ü.pdf") && paths[4] == "Untitled.pdf")
        #expect(bench.host.content("Same.pdf") == bench.document("Same", "Somebody else"))
    }

    /// Weakness 9 in docs/weaknesses.md.
    @Test(
        "A damaged cache on the device is noted and ignored", arguments: [0, 100, 4_096, 5_000])
    func damagedCache(_ kept: Int) throws {
        bench.host.put("a.pdf", bench.document("From the file"))
        try bench.putCache([
            GoodReaderCacheRow(path: "a.pdf", title: String(repeating: "t", count: 9_000), size: 10_036)
        ])
        let whole = try #require(bench.host.files["/Library/calibre_metadata.sqlite"]).bytes
        var damaged = Array(whole.prefix(kept))
        if damaged.count > 200 { for place in 100..<200 { damaged[place] = 0xEE } }
        bench.put("Library/calibre_metadata.sqlite", damaged)
        #expect(try bench.books().map(\.title) == ["From the file"])
        #expect(bench.host.log.contains { $0.contains("Not using calibre's cache") })
    }

    /// Weakness 14 in docs/weaknesses.md.
    @Test("A document is not mistaken for a moved one with the same name")
    func sameNames() throws {
        bench.host.put("A/report.pdf", bench.document("First"))
        _ = try bench.books()
        bench.host.put("B/report.pdf", bench.document("Other"))
        bench.host.put("C/report.pdf", bench.document("Third"))
        #expect(try bench.books().map(\.title) == ["First", "Other", "Third"])
    }

    /// Weakness 14 in docs/weaknesses.md.
    @Test("A moved document is recognised by its content, keeps its edits, and is not read again")
    func moved() throws {
        bench.host.put("a.pdf", bench.document("Title", "A"))
        var book = try bench.books()[0]
        book.title = "Mine"
        #expect(try bench.sync([book]).map(\.outcome) == [.updated])
        bench.host.move("a.pdf", to: "deep/er/renamed.pdf")
        bench.host.resetCounts()
        let books = try bench.books()
        #expect(books.map(\.path) == ["deep/er/renamed.pdf"] && books.map(\.title) == ["Mine"])
        #expect(!bench.host.operations.contains { $0.hasPrefix("metadata") })
    }

    /// Weakness 15 in docs/weaknesses.md.
    @Test("A title that is a column name or has quotes stays unchanged")
    func quotes() throws {
        bench.host.put("a.pdf", bench.document("A"))
        bench.host.put("b.pdf", bench.document("B"))
        try bench.putCache([
            GoodReaderCacheRow(
                path: "a.pdf", title: "size", authors: "uuid & \"title\"",
                size: Int64(bench.document("A").utf8.count))
        ])
        var books = try bench.books()
        #expect(books[0].title == "size" && books[0].authors == ["uuid", "\"title\""])
        for title in ["filename", "He said \"no\"", "'); DROP TABLE metadata; --"] {
            books[1].title = title
            _ = try bench.sync([books[1]])
            #expect(try bench.books()[1].title == title)
            #expect(try bench.sync([books[1]]).isEmpty)
        }
    }

    /// Weakness 23 in docs/weaknesses.md.
    @Test("No document is read completely, and an unreadable one is not tried again")
    func ranges() throws {
        let size = 3_000_000
        bench.host.put("a.pdf", bench.document("A") + String(repeating: " ", count: size))
        bench.host.put("b.pdf", "BROKEN" + String(repeating: " ", count: size))
        #expect(try bench.books().map(\.title) == ["A", "b"])
        #expect(bench.host.bytesRead < 20_000)
        bench.host.resetCounts()
        _ = try bench.books()
        #expect(bench.host.bytesRead == 0)
    }

    /// Weakness 24 in docs/weaknesses.md.
    @Test(
        "A cache on the device is read at most once, and no file is written beside the documents"
    )
    func cacheStays() throws {
        bench.host.put("a.pdf", bench.document("A"))
        try bench.putCache([
            GoodReaderCacheRow(path: "a.pdf", title: "Cached", size: Int64(bench.document("A").utf8.count))
        ])
        #expect(try bench.books().map(\.title) == ["Cached"])
        bench.host.resetCounts()
        #expect(try bench.books().map(\.title) == ["Cached"])
        var book = try bench.books()[0]
        book.title = "New"
        _ = try bench.sync([book])
        _ = try bench.upload([bench.host.item("b.pdf", "b", title: "B")])
        _ = try bench.rows { overlay, report in try overlay.deleteBooks(["a.pdf"]) { report($0) } }
        let beside = bench.host.operations.filter { $0.contains("/Library") }
        #expect(beside.isEmpty, "\(beside)")
    }

    /// Weakness 26 in docs/weaknesses.md.
    @Test("A document that is replaced under its name is noticed, even if it has the same size")
    func replaced() throws {
        bench.host.put("a.pdf", bench.document("One"))
        #expect(try bench.books().map(\.title) == ["One"])
        bench.host.put("a.pdf", bench.document("Two"))
        #expect(try bench.books().map(\.title) == ["Two"])
    }

    @Test("The requests of an upload do not grow with the documents that are there, but for looking at them")
    func lookups() throws {
        var costs: [Int] = []
        for count in [20, 220] {
            for index in 0..<count {
                bench.host.put("\(index).pdf", "%PDF \(index) " + String(repeating: "x", count: index))
            }
            _ = try bench.books()
            bench.host.resetCounts()
            let rows = try bench.upload([
                bench.host.item("n.pdf", String(repeating: "n", count: 999 + count), title: "N\(count)")
            ])
            #expect(rows.map(\.outcome) == [.added])
            costs.append(bench.host.operations.filter { !$0.hasPrefix("stat") }.count)
        }
        #expect(costs[0] == costs[1])
    }

    /// Weakness 28 in docs/weaknesses.md.
    @Test(
        "No list is searched for each document, its preview, or calibre's record of it"
    )
    func searches() throws {
        var passes: [Int] = []
        for count in [5, 30] {
            let bench = try GoodReaderBench()
            var rows: [GoodReaderCacheRow] = []
            for index in 0..<count {
                let content = bench.document("\(index)")
                bench.host.put("\(index % 5)/\(index).pdf", content)
                if index % 5 == 0 { try bench.putPreview("\(index % 5)/\(index).pdf", GoodReaderBench.jpeg) }
                rows.append(
                    GoodReaderCacheRow(
                        path: "\(index % 5)/\(index).pdf", title: "C \(index)",
                        size: Int64(content.utf8.count)))
            }
            try bench.putCache(rows)
            let scan = try bench.overlay().shelf().scan()
            let files = try scan.books()
            let images = try scan.readMetadata(of: files, covers: true)
            #expect(images.count == count / 5)
            #expect(Set(files.map { scan.book($0).title }) == Set((0..<count).map { "C \($0)" }))
            passes.append(scan.passes)
        }
        #expect(passes[0] == passes[1])
    }
}
