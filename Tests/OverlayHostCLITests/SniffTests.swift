import Foundation
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("sniff prints the format of files")
struct SniffTests {
    private let bench: ProgramBench
    private let pdf: String
    private let epub: String
    private let noise: String

    init() throws {
        bench = try ProgramBench()
        pdf = try bench.file("ref.epub", Data("%PDF-1.4\n".utf8))
        epub = try bench.file("story", SampleEPUB.archive())
        noise = try bench.file("noise.bin", Data("hello\n".utf8))
    }

    @Test("Each input is answered in its order, and an unknown format is not a failure")
    func json() throws {
        let run = bench.run(["sniff", "--json", epub, pdf, noise])
        #expect(run.status == 0)
        let rows = try run.rows("results")
        #expect(rows.map { $0["input"] as? String } == [epub, pdf, noise])
        #expect(
            rows.map { $0["media_type"] as? String } == ["application/epub+zip", "application/epub+zip", nil])
        #expect(rows.map { $0["round"] as? String } == ["heavy", "light", nil])
        #expect(rows.map { $0["sniffer"] as? String } == ["epub", "epub", nil])
        #expect(rows.map { $0["name"] as? String } == ["EPUB", "EPUB", nil])
        #expect(rows.map { $0["extension"] as? String } == ["epub", "epub", nil])
        #expect(rows[1]["bytes_read"] as? Int == 0)
        #expect((rows[0]["bytes_read"] as? Int ?? 0) > 0)
        for row in rows { #expect(row["error"] is NSNull) }
        #expect(rows[2]["media_type"] is NSNull)
    }

    @Test("An input that cannot be read makes the status 1, and the others are still answered")
    func unreadable() throws {
        let missing = bench.folder.path("missing")
        let run = bench.run(["sniff", "--json", missing, epub, bench.folder.path])
        #expect(run.status == 1)
        let rows = try run.rows("results")
        #expect(
            rows.map { ($0["error"] as? [String: Any])?["code"] as? String }
                == ["input_unreadable", nil, "input_unreadable"])
        #expect(rows.map { $0["media_type"] as? String } == [nil, "application/epub+zip", nil])
        let text = bench.run(["sniff", missing, epub])
        #expect(text.status == 1)
        #expect(text.output.contains("cannot be read") && text.output.contains("application/epub+zip"))
        #expect(text.errors == "overlayhost: '\(missing)': No such file or directory.\n")
    }

    @Test("The table has a line for each input, aligned")
    func table() {
        let lines = bench.run(["sniff", pdf, noise]).output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("INPUT"))
        #expect(lines[1].hasSuffix("EPUB     application/epub+zip"))
        #expect(lines[2].hasSuffix("unknown  -"))
    }

    @Test("--explain shows rule, reason and bytes, and what the content says of a wrong name")
    func explain() throws {
        let run = bench.run(["sniff", "--explain", pdf, epub, bench.folder.path("missing")])
        #expect(run.status == 1)
        let blocks = run.output.components(separatedBy: "\n\n")
        try #require(blocks.count == 3)
        #expect(
            blocks[0] == """
                \(pdf)
                  format      EPUB, application/epub+zip
                  extension   epub
                  sniffer     epub, from its name or type
                  because of  extension epub
                  bytes read  0
                  by content  PDF, application/pdf
                """)
        #expect(blocks[1].contains("sniffer     epub, from its content\n"))
        #expect(blocks[1].contains("because of  ") && !blocks[1].contains("by content"))
        #expect(blocks[2].contains("  cannot be read: No such file or directory."))
        #expect(
            try bench.run(["sniff", "--json", "--explain", pdf]).rows("results")[0]["content_media_type"]
                as? String == "application/pdf")
        #expect(try bench.run(["sniff", "--json", pdf]).rows("results")[0]["content_media_type"] == nil)
    }

    @Test("A correct name is confirmed")
    func truth() throws {
        let file = try bench.file("true.pdf", Data("%PDF-1.4\n".utf8))
        #expect(bench.run(["sniff", "--explain", file]).output.hasSuffix("  by content  the same\n"))
    }

    @Test(
        "Hints decide before the content",
        arguments: [
            (["--extension", "pdf"], "application/pdf"), (["--extension", ".pdf"], "application/pdf"),
            (["--media-type", "application/vnd.comicbook+zip"], "application/vnd.comicbook+zip"),
            (["--extension", "no-such", "--extension", "cbz"], "application/vnd.comicbook+zip"),
            (["--extension", "no-such"], nil),
        ] as [([String], String?)])
    func hints(options: [String], type: String?) throws {
        let run = bench.run(["sniff", "--json", noise] + options)
        #expect(run.status == 0)
        #expect(try run.rows("results")[0]["media_type"] as? String == type)
    }

    @Test(
        "sniff ignores a media type that cannot be parsed, with a warning, and takes the other hints"
    )
    func unparsableHint() throws {
        let run = bench.run(["sniff", "--json", noise, "--media-type", "bogus", "--media-type", "image/png"])
        #expect(run.status == 0)
        #expect(try run.rows("results")[0]["media_type"] as? String == "image/png")
        #expect(run.errors == "'bogus' is not a media type; sniff ignores it.\n")
    }

    @Test("A hint of plain text counts only if the content has no known format")
    func plainText() throws {
        let document = try bench.file("a.txt", Data("{\"a\": 1}".utf8))
        let words = try bench.file("b.txt", Data("hello".utf8))
        let rows = try bench.run(["sniff", "--json", document, words]).rows("results")
        #expect(rows.map { $0["media_type"] as? String } == ["application/json", "text/plain"])
        #expect(rows.map { $0["round"] as? String } == ["heavy", "light"])
    }

    @Test("--sniffers default knows the formats of the proposal alone")
    func sniffers() throws {
        let options = ["sniff", "--json", noise, "--media-type", "application/x-mobipocket-ebook"]
        #expect(
            try bench.run(options).rows("results")[0]["media_type"] as? String
                == "application/x-mobipocket-ebook")
        let plain = bench.run(options + ["--sniffers", "default"])
        #expect(plain.status == 0)
        #expect(try plain.rows("results")[0]["media_type"] is NSNull)
    }

    @Test(
        "A meaningless option is a mistake of the command line",
        arguments: [
            (["sniff"], "argument"), (["sniff", "x", "--sniffers", "all"], "'all'"),
            (["sniff", "-", "-"], "only once"),
        ])
    func mistakes(words: [String], message: String) throws {
        let run = bench.run(["--json"] + words)
        #expect(run.status == 64)
        #expect(try run.error("message")?.contains(message) == true, "\(run.output)")
    }

    @Test("Only http and https URLs are requested")
    func scheme() throws {
        let run = bench.run(["sniff", "--json", "ftp://localhost/book"])
        #expect(run.status == 1)
        let error = try run.rows("results")[0]["error"] as? [String: Any]
        #expect(error?["message"] as? String == "This is not an http or https URL.")
    }
}
