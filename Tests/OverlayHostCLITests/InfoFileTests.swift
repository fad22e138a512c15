import Foundation
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("info shows the metadata of a file")
struct InfoFileTests {
    private let bench: ProgramBench

    init() throws { bench = try ProgramBench() }

    private func document(_ run: ProgramBench.Run) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test("Title, authors, format and size are shown as text and as JSON, without any device")
    func book() throws {
        let archive = SampleEPUB.archive()
        let file = try bench.file("night.epub", archive)
        let run = bench.run(["info", file, "--json"])
        #expect(run.status == 0)
        let book = try document(run)
        #expect(book["title"] as? String == "A Dark Night")
        #expect(book["authors"] as? [String] == ["Ann Author"])
        #expect(book["format"] as? String == "application/epub+zip")
        #expect(book["size"] as? Int == archive.count)
        #expect(book["path"] as? String == file)
        #expect((book["cover"] as? [String: Any])?["media_type"] as? String == "image/png")
        let lines = bench.run(["info", file]).output.split(separator: "\n")
        #expect(lines[0].hasSuffix("  A Dark Night"))
        #expect(lines.contains { $0.hasPrefix("Languages") && $0.hasSuffix(" en") })
    }

    @Test("A wrong extension does not matter")
    func wrongName() throws {
        let book = try document(
            bench.run(["info", try bench.file("night.pdf", SampleEPUB.archive()), "--json"]))
        #expect(book["format"] as? String == "application/epub+zip")
        #expect(book["title"] as? String == "A Dark Night")
    }

    @Test("--cover saves the cover to a new file, and never over another")
    func cover() throws {
        let file = try bench.file("night.epub", SampleEPUB.archive())
        let cover = bench.folder.path("cover.png")
        #expect(bench.run(["info", file, "--cover", cover]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: cover)) == SampleEPUB.cover)
        let plain = try bench.file("mine", Data("mine".utf8))
        #expect(bench.run(["info", file, "--cover", plain]).status == 73)
        #expect(try Data(contentsOf: URL(fileURLWithPath: plain)) == Data("mine".utf8))
    }

    @Test("A book without a cover is reported, and no file is made")
    func noCover() throws {
        let file = try bench.file("night.epub", SampleEPUB.archive(hasCover: false))
        let cover = bench.folder.path("cover.png")
        let run = bench.run(["info", file, "--cover", cover, "--json"])
        #expect(run.status == 66)
        #expect(try run.error("message") == "This book has no cover.")
        #expect(!FileManager.default.fileExists(atPath: cover))
    }

    @Test("Damaged values are named beside the readable ones")
    func shortcomings() throws {
        let archive = SampleEPUB.archive()
        let run = bench.run(["info", try bench.file("cut.epub", archive.prefix(archive.count - 60))])
        #expect(run.status == 0)
        #expect(run.output.contains("A Dark Night"))
        #expect(run.errors.contains("truncated or damaged"))
    }

    @Test("A file that does not exist is reported as missing, without mention of devices")
    func missing() throws {
        for name in ["missing.epub", "./missing", "../no/missing.pdf"] {
            let run = bench.run(["info", name, "--json"])
            #expect(run.status == 66)
            #expect(try run.error("code") == "input_unreadable")
            #expect(try run.error("subject") == name)
            #expect(try run.error("message") == "No such file or directory.")
            #expect(!run.errors.contains("usbmuxd"))
        }
        for name in [bench.folder.path, ".", ".."] {
            let folder = bench.run(["info", name, "--json"])
            #expect(folder.status == 66)
            #expect(try folder.error("message") == "This is a folder, not a book.")
        }
    }

    @Test("The result says that it is of a file")
    func source() throws {
        let file = try bench.file("night.epub", SampleEPUB.archive())
        #expect(try document(bench.run(["info", file, "--json"]))["source"] as? String == "file")
        #expect(bench.run(["info", file]).output.contains("\nWhere        a local file\n"))
    }

    @Test(
        "An existing file is preferred to a book; if a device is named, only if the name looks like a file",
        arguments: [
            ("night.epub", false, true), ("night.epub", true, true), ("night", false, true),
            ("night", true, false), ("sub", false, false), ("sub/night.mobi", true, true),
            ("gone.epub", false, false), ("gone.epub", true, false), ("A Title", false, false),
        ])
    func meaning(name: String, namesDevice: Bool, isFile: Bool) throws {
        try FileManager.default.createDirectory(
            atPath: bench.folder.path("sub"), withIntermediateDirectories: false)
        for file in ["night.epub", "night", "sub/night.mobi"] { _ = try bench.file(file, Data("x".utf8)) }
        let meaning = BookArgument(name, namesDevice: namesDevice, in: bench.folder.path)
        #expect((meaning == .file) == isFile)
        #expect(BookArgument(name, namesDevice: true, in: bench.folder.path) != .folder)
        if !isFile { #expect(meaning == .book(looksLikeFile: name.hasSuffix(".epub"))) }
    }

    @Test("Endless values are cut in text, wrapped on a terminal, and whole in JSON")
    func longValues() throws {
        let title = String(repeating: "long ", count: 5000) + "end"
        let file = try bench.file("night.epub", SampleEPUB.archive(title: title))
        let plain = bench.run(["info", file])
        let line = try #require(plain.output.split(separator: "\n").first)
        #expect(line.count < 1100)
        #expect(line.hasSuffix(" characters)"))
        let wide = bench.run(["info", file], width: 60)
        #expect(wide.output.split(separator: "\n").allSatisfy { TerminalText.width(of: String($0)) <= 60 })
        #expect(wide.output.contains("\n             long long"))
        #expect(try document(bench.run(["info", file, "--json"]))["title"] as? String == title)
        let unbroken = try bench.file(
            "word.epub", SampleEPUB.archive(title: String(repeating: "字", count: 300)))
        let lines = bench.run(["info", unbroken], width: 40).output.split(separator: "\n")
        #expect(lines.allSatisfy { TerminalText.width(of: String($0)) <= 40 || $0.contains("/") })
    }

    @Test("A file of an unknown format is an error about the file")
    func unknown() throws {
        let run = bench.run(["info", try bench.file("noise.bin", Data("hello".utf8)), "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "unsupported_format")
    }
}
