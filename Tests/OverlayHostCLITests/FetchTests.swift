import Synchronization
import Foundation
import Glibc
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("fetch reads resources of a publication")
struct FetchTests {
    private let bench: ProgramBench
    private let book: String

    init() throws {
        bench = try ProgramBench()
        book = try bench.file("book.epub", SampleEPUB.archive())
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: bench.folder.path(name))
    }

    @Test("--list shows every resource with its media type and sizes")
    func list() throws {
        let run = bench.run(["fetch", book, "--list", "--json"])
        #expect(run.status == 0)
        let rows = try run.rows("resources")
        let hrefs = rows.compactMap { $0["href"] as? String }
        #expect(
            hrefs.sorted() == ["/META-INF/container.xml", "/book.opf", "/mimetype", "/one.xhtml", "/p.png"])
        let chapter = try #require(rows.first { $0["href"] as? String == "/one.xhtml" })
        #expect(chapter["media_type"] as? String == "application/xhtml+xml")
        #expect(chapter["size"] as? Int == SampleEPUB.chapter.utf8.count)
        #expect(try #require(rows.first { $0["href"] as? String == "/mimetype" })["media_type"] is NSNull)
        let lines = bench.run(["fetch", book, "--list"]).output.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines[0].hasPrefix("HREF") && lines[0].hasSuffix("SIZE"))
    }

    @Test(
        "A resource is written as it is, with or without its first slash",
        arguments: ["/one.xhtml", "one.xhtml"])
    func resource(href: String) {
        let run = bench.run(["fetch", book, href])
        #expect(run.status == 0)
        #expect(run.output == SampleEPUB.chapter)
        #expect(run.errors.isEmpty)
    }

    @Test(
        "A range has both ends, and the part behind the end is left out",
        arguments: [
            ("0-5", "<html>"), ("46-", "</html>"), ("46-4000", "</html>"), ("52-", ">"), ("1-1", "h"),
        ])
    func range(range: String, text: String) throws {
        try #require(SampleEPUB.chapter.utf8.count == 53)
        let run = bench.run(["fetch", book, "/one.xhtml", "--range", range])
        #expect(run.status == 0)
        #expect(run.output == text)
    }

    @Test(
        "A range that begins behind the end is an error and leaves no file",
        arguments: ["53-", "53-53", "4000-5000"])
    func beyond(range: String) throws {
        let file = bench.folder.path("beyond")
        let run = bench.run(["fetch", book, "/one.xhtml", "--range", range, "-o", file, "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "range_not_satisfiable")
        #expect(try run.error("subject") == "/one.xhtml")
        #expect(try run.error("message")?.contains("only 53 bytes") == true)
        #expect(!exists("beyond"))
        let whole = try bench.file("short", Data("0123".utf8))
        #expect(bench.run(["fetch", whole, "--range", "4-"]).status == 66)
    }

    @Test("All of an empty resource is empty, and a part of it is an error")
    func nothing() throws {
        let empty = try bench.file("empty", Data())
        #expect(bench.run(["fetch", empty, "--range", "0-"]).status == 0)
        #expect(bench.run(["fetch", empty, "--range", "0-0"]).status == 66)
    }

    @Test("--list gives the types that the book declares, and else those of the extensions")
    func declaredTypes() throws {
        var zip = ZipBuilder()
        let texts = [
            (
                "META-INF/container.xml",
                "<container><rootfiles><rootfile full-path=\"b.opf\"/></rootfiles></container>"
            ),
            (
                "b.opf",
                "<package><manifest><item id=\"a\" href=\"one.xml\" media-type=\"application/xhtml+xml\"/></manifest></package>"
            ), ("one.xml", "<html/>"), ("two.xml", "<a/>"),
        ]
        for (name, text) in texts { zip.entries.append(.init(name, Data(text.utf8))) }
        let file = try bench.file("typed.epub", zip.data())
        let rows = try bench.run(["fetch", file, "--list", "--json"]).rows("resources")
        #expect(
            rows.map { $0["media_type"] as? String } == [
                "application/xml", "application/oebps-package+xml", "application/xhtml+xml",
                "application/xml",
            ])
    }

    @Test("A range of the whole file needs no resource, and no archive")
    func whole() throws {
        let text = try bench.file("text", Data("0123456789".utf8))
        #expect(bench.run(["fetch", text]).output == "0123456789")
        #expect(bench.run(["fetch", text, "--range", "3-5"]).output == "345")
    }

    @Test(
        "An invalid range, and options that do not go together, are mistakes of the command line",
        arguments: [
            ["--range", "5-2"], ["--range", "x"], ["--range", "-5"], ["--range", "1-99999999999999999999"],
            ["--list", "/one.xhtml"], ["--list", "--range", "0-1"], ["--list", "-o", "x"],
            ["/one.xhtml", "--json"],
        ])
    func mistakes(options: [String]) {
        #expect(bench.run(["fetch", book] + options).status == 64)
    }

    @Test("-o writes a new file and never touches one that is there")
    func output() throws {
        let file = bench.folder.path("chapter")
        let run = bench.run(["fetch", book, "/one.xhtml", "-o", file, "--json"])
        #expect(run.status == 0)
        let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        #expect(document?["size"] as? Int == SampleEPUB.chapter.utf8.count)
        #expect(document?["file"] as? String == file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == SampleEPUB.chapter)
        let again = bench.run(["fetch", book, "/book.opf", "-o", file, "--json"])
        #expect(again.status == 73)
        #expect(try again.error("code") == "already_exists")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == SampleEPUB.chapter)
        #expect(bench.run(["fetch", book, "/one.xhtml", "-o", bench.folder.path("no/chapter")]).status == 73)
    }

    @Test("A resource that is not there is named, and leaves no file")
    func notFound() throws {
        let run = bench.run(["fetch", book, "/two.xhtml", "-o", bench.folder.path("two"), "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "not_found")
        #expect(try run.error("subject") == "/two.xhtml")
        #expect(try run.error("hint")?.contains("--list") == true)
        #expect(!exists("two"))
    }

    @Test("A file that is not whole is removed")
    func abandoned() throws {
        let output = try ByteOutput(bench.folder.path("half"), ProgramBench.Text().console())
        try output.write(Data("half".utf8))
        #expect(exists("half"))
        output.abandon()
        #expect(!exists("half"))
    }

    @Test("A damaged resource is reported and leaves no file, and the others are fetched")
    func damaged() throws {
        var state: UInt32 = 1
        let noise = Data(
            (0..<1_000_000).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            })
        var entry = ZipBuilder.Entry("noise.bin", noise, method: 8)
        let deflated = ZipBuilder.deflated(noise)
        entry.stored = Data(deflated.prefix(700_000)) + Data(repeating: 0xFF, count: deflated.count - 700_000)
        let file = try bench.file("damaged.epub", SampleEPUB.archive(more: [entry]))
        let run = bench.run(["fetch", file, "/noise.bin", "-o", bench.folder.path("noise"), "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "damaged")
        #expect(!exists("noise"))
        #expect(bench.run(["fetch", file, "/one.xhtml"]).output == SampleEPUB.chapter)
    }

    @Test("A file that is not an archive, or the beginning of one, is refused in plain words")
    func noArchive() throws {
        let text = try bench.file("text", Data("no archive".utf8))
        for words in ["--list", "/one.xhtml"] {
            let run = bench.run(["fetch", text, words])
            #expect(run.status == 66)
            #expect(run.errors.contains("This is not an archive, so it has no resources."))
        }
    }

    @Test(
        "An archive that was cut short is judged alike by fetch, info and sniff, under any name",
        arguments: ["cut.epub", "cut", "cut.pdf"])
    func cutShort(name: String) throws {
        let whole = SampleEPUB.archive()
        let cut = try bench.file(name, whole.prefix(whole.count - 100))
        let judgement = "he archive is truncated or damaged: the directory at its end is missing"
        for words in [["--list"], ["/one.xhtml"]] {
            let fetched = bench.run(
                ["fetch", cut, "--json"] + words + (words[0] == "--list" ? [] : ["-o", "x"]))
            #expect(fetched.status == 66)
            #expect(try fetched.error("code") == "damaged")
            #expect(try fetched.error("message")?.contains(judgement) == true)
            #expect(try fetched.error("hint")?.contains("overlayhost info") == true)
        }
        let told = bench.run(["info", cut])
        #expect(told.status == 0)
        #expect(told.output.contains("A Dark Night") && told.output.contains("application/epub+zip"))
        #expect(told.errors.contains(judgement))
        let sniffed = bench.run(["sniff", "--explain", cut])
        #expect(sniffed.status == 0)
        #expect(sniffed.output.contains(judgement))
        let row = try bench.run(["sniff", "--explain", "--json", cut]).rows("results")[0]
        #expect((row["damage"] as? String)?.contains(judgement) == true)
        #expect((row["bytes_read"] as? Int ?? .max) <= whole.count - 100)
        if name == "cut" {
            #expect(bench.run(["sniff", cut]).output.contains("ZIP, damaged"))
        }
    }

    @Test("A reader that closes the pipe is not a failure, but a full disk is")
    func lostOutput() {
        let gone = bench.run(["fetch", book, "/one.xhtml"], outputError: EPIPE)
        #expect(gone.status == 0)
        #expect(gone.errors.isEmpty)
        let full = bench.run(["fetch", book, "/one.xhtml"], outputError: ENOSPC)
        #expect(full.status == 74)
        #expect(full.errors.contains("Cannot write the result"))
    }

    @Test("Bytes with control characters are not written to a terminal")
    func terminal() throws {
        let text = ProgramBench.Text()
        let output = try ByteOutput(nil, text.console(width: 80))
        try output.write(Data("Grüße,\tこんにちは\r\n".utf8))
        for bytes: [UInt8] in [[0], [0x1B, 0x5B, 0x32, 0x4A], [0x7F], [0xC2, 0x9B, 0x32, 0x4A]] {
            #expect(throws: HostError.self) { try output.write(Data(bytes)) }
        }
        #expect(text.output.withLock { $0 } == "Grüße,\tこんにちは\r\n")
    }

    @Test("--verbose shows how much was read")
    func verbose() {
        let run = bench.run(["fetch", book, "/one.xhtml", "--verbose"])
        #expect(run.output == SampleEPUB.chapter)
        #expect(run.errors.hasPrefix("Read "))
    }
}
