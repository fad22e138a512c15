import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Files under wrong names and several editions of a book are uploaded correctly")
struct WrongNamesTests {
    private func bench() throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.paperback(), SimulatedReader.kindle()]
        }
    }

    @Test(
        "A file is stored under the extension of what it is, or refused; a damaged one stays what it is called"
    )
    func names() throws {
        let bench = try bench()
        func file(_ name: String, _ content: Data) throws -> String {
            try content.write(to: bench.folder.url.appendingPathComponent(name))
            return bench.folder.path(name)
        }
        let epub = try Data(contentsOf: RealBooks.history("de"))
        let mobi = Data(SampleMOBI(title: "Emma", authors: ["J. A."], length: 9_000).bytes)
        let files = [
            try file("a.pdf", epub), try file("b.azw3", mobi), try file("c.epub", Data("no book".utf8)),
        ]
        let paperback = try bench.json(["upload"] + files + ["--app", "Paperback"])
        #expect(paperback.texts("results", "status") == ["added", "failed", "added"])
        let rows = paperback.rows("results")
        try #require(rows.count == 3)
        #expect((rows[0]["path"] as? String)?.hasSuffix(".epub") == true)
        #expect(
            rows[0]["message"] as? String
                == "The file has the extension .pdf, but it is an EPUB. It was stored as .epub.")
        #expect((rows[1]["message"] as? String)?.contains("this file is a MOBI") == true)
        #expect(rows[2]["path"] as? String == "c.epub")
        #expect(
            (rows[2]["message"] as? String)?.hasPrefix("Paperback may not be able to open the file. ") == true
        )

        let kindle = try bench.run(
            "upload", files[0], files[1], files[2], "--app", "Kindle", "--collection", "X")
        #expect(kindle.output.contains("Emma-J. A.mobi"), "\(kindle.output)")
        #expect(kindle.output.contains("extension .azw3, but it is a MOBI. It was stored as .mobi."))
        #expect(kindle.errors.contains("extension .pdf, but it is an EPUB. Kindle accepts MOBI and PDF."))
    }

    @Test(
        "Two editions in one command have the same result as in two commands",
        arguments: ["protect", "replace"])
    func editions(policy: String) throws {
        let (one, two) = (try self.bench(), try self.bench())
        func files(_ bench: ReaderBench) throws -> [String] {
            try [8_000, 16_000].map { length in
                let url = bench.folder.url.appendingPathComponent("\(length).mobi")
                try SampleMOBI(title: "Emma", authors: ["A"], length: length).write(to: url)
                return url.path
            }
        }
        let options = ["--app", "Kindle", "--on-conflict", policy]
        let together = try one.json(["upload"] + files(one) + options)
        #expect(
            together.texts("results", "status")
                == (policy == "protect" ? ["added", "skipped"] : ["skipped", "added"]))
        let alone = try files(two).map { try two.json(["upload", $0] + options) }
        #expect(
            alone.flatMap { $0.texts("results", "status") }
                == ["added", policy == "protect" ? "skipped" : "replaced"])
        for bench in [one, two] {
            let book = try #require(
                bench.json("books", "--app", "Kindle").rows("books").first {
                    $0["path"] as? String == "Emma-A.mobi"
                })
            let length = try Data(contentsOf: URL(fileURLWithPath: files(bench)[policy == "protect" ? 0 : 1]))
                .count
            #expect(book["size"] as? Int == length)
        }
    }
}
