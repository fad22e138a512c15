import Archives
import Diagnostics
import FormatSamples
import Formats
import Foundation
import TestSupport
import Testing

@Suite("Corner cases of guesses are safe")
struct CornerCaseTests {
    @Test("A path that is not a readable regular file has no format, and is not waited for")
    func special() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("loop"), withDestinationPath: folder.path("loop"))
        try FileManager.default.createDirectory(
            atPath: folder.path("folder"), withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
        for name in ["pipe", "loop", "folder", "empty", "missing"] {
            #expect(Format.guess(path: folder.path(name)) == nil, "\(name)")
        }
        #expect(Format.guess(path: "/dev/zero") == nil)
        #expect(Format.guess(path: "/dev/null") == nil)
        #expect(Format.guess(path: "") == nil)
        #expect(Format.explain(path: folder.path("pipe")).readError?.code == .notFound)
        #expect(Format.explain(path: folder.path("empty")).readError == nil)
    }

    @Test("Links are followed; a file that vanishes between the rounds has no format")
    func links() throws {
        let folder = try TemporaryFolder()
        try Data("%PDF".utf8).write(to: URL(fileURLWithPath: folder.path("a")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("a"))
        #expect(Format.guess(path: folder.path("link")) == .pdf)
        let path = folder.path("a")
        let vanish: Format.Sniffer = { _, inspecting in
            if !inspecting { unlink(path) }
            return nil
        }
        #expect(Format.guess(path: path, sniffers: [vanish] + Format.defaultSniffers) == nil)
    }

    @Test("A hint beats the content, and a folder named as a book is a book by its hint")
    func hintsFirst() throws {
        let folder = try TemporaryFolder()
        try Data(ZipBuilder.archive(named: "a.pdf")).write(to: URL(fileURLWithPath: folder.path("a.pdf")))
        try FileManager.default.createDirectory(
            atPath: folder.path("Book.epub"), withIntermediateDirectories: false)
        #expect(Format.guess(path: folder.path("a.pdf")) == .pdf)
        #expect(Format.guess(path: folder.path("Book.epub") + "/") == .epub)
    }

    @Test(
        "Formats that the proposal does not know are not recognised",
        arguments: ["BOOKMOBI", "TPZ", "{\\rtf1", "<FictionBook/>", "AT&TFORM", "CONTdata", "plain text"])
    func unknown(_ text: String) {
        #expect(guess(text) == nil)
    }

    @Test("A file of each format is recognised in a file as in memory", arguments: FormatSample.all)
    func files(_ sample: FormatSample) throws {
        let folder = try TemporaryFolder()
        try Data(sample.content).write(to: URL(fileURLWithPath: folder.path("a")))
        let report = Format.explain(path: folder.path("a"))
        #expect(report.format == sample.format && report.sniffer == sample.name)
        #expect(report.bytesRead > 0 && report.bytesRead <= Int64(sample.content.count))
    }

    @Test("A guess ends and reads only what it may, whichever bytes follow a known beginning")
    func noise() {
        var random = SeededGenerator(seed: 7)
        for beginning in [
            "", "<", "<!DOCTYPE ", "<?xml ", "{", "{\"metadata\":", "PK\u{3}\u{4}", "%PD", "\u{FEFF}",
            "<html ",
        ] {
            for _ in 0..<200 {
                let noise = (0..<Int.random(in: 0..<600, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let bytes = Array(beginning.utf8) + noise
                let report = Format.explain(bytes: { Data(bytes) }, otherwise: Format.extendedSniffers)
                #expect(report.bytesRead <= Int64(bytes.count))
            }
        }
    }
}

@Suite("The table of accuracy is up to date")
struct AccuracyTableTests {
    @Test("The document holds what the command prints")
    func document() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let document = try String(contentsOf: root.appendingPathComponent("docs/formats.md"), encoding: .utf8)
        #expect(try document.contains("\n" + AccuracyTable.markdown() + "\n"))
    }
}
