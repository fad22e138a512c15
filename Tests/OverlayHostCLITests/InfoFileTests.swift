import Foundation
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("info tells what a file says of itself")
struct InfoFileTests {
    private let bench: ProgramBench

    init() throws { bench = try ProgramBench() }

    private func document(_ run: ProgramBench.Run) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test("Title, authors, format and size, as text and as JSON, without any device")
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

    @Test("A wrong extension does not fool it")
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

    @Test("A book without a cover is told, and no file is made")
    func noCover() throws {
        let file = try bench.file("night.epub", SampleEPUB.archive(hasCover: false))
        let cover = bench.folder.path("cover.png")
        let run = bench.run(["info", file, "--cover", cover, "--json"])
        #expect(run.status == 66)
        #expect(try run.error("message") == "This book has no cover.")
        #expect(!FileManager.default.fileExists(atPath: cover))
    }

    @Test("What is damaged is named beside what can be read")
    func shortcomings() throws {
        let archive = SampleEPUB.archive()
        let run = bench.run(["info", try bench.file("cut.epub", archive.prefix(archive.count - 60))])
        #expect(run.status == 0)
        #expect(run.output.contains("A Dark Night"))
        #expect(run.errors.contains("damaged or cut short"))
    }

    @Test("A file of an unknown format is an error about the file")
    func unknown() throws {
        let run = bench.run(["info", try bench.file("noise.bin", Data("hello".utf8)), "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "unsupported_format")
    }
}
