import Archives
import FormatSamples
import Foundation
import JSON
import TestSupport
import Testing

@testable import Formats

@Suite("A context gives hints and content to sniffers")
struct SnifferContextTests {
    private func context(_ text: String, mediaTypes: [String] = []) -> Format.BytesSnifferContext {
        Format.BytesSnifferContext(bytes: { Data(text.utf8) }, mediaTypes: mediaTypes)
    }

    @Test("Bytes are fetched at most once for all views, and never for hints")
    func once() {
        var calls = 0
        let context = Format.BytesSnifferContext(bytes: {
            calls += 1
            return Data("{\"a\": 1}".utf8)
        })
        #expect(!context.hasFileExtension("x") && !context.hasMediaType("a/b") && context.bytesRead == 0)
        #expect(calls == 0)
        for _ in 0..<3 {
            #expect(context.contentAsJson?["a"] == .number(JSONNumber(1)))
            #expect(context.contentAsXml == nil && context.contentAsZip == nil)
            #expect(context.contentAsString == "{\"a\": 1}")
            #expect(context.read(0..<3) == Data("{\"a".utf8))
        }
        #expect(calls == 1)
    }

    @Test("A light answer calls no closure and touches no file; an unknown format calls the closure once")
    func lightTouchesNothing() {
        var calls = 0
        let bytes: () -> Data = {
            calls += 1
            return Data()
        }
        #expect(Format.guess(bytes: bytes, fileExtensions: ["epub"]) == .epub)
        #expect(Format.guess(bytes: bytes, sniffers: []) == nil)
        #expect(calls == 0)
        #expect(Format.guess(bytes: bytes, fileExtensions: ["x"]) == nil)
        #expect(calls == 1)
    }

    @Test("Hints are parsed leniently, and the wider type is on the left")
    func hints() {
        let context = Format.MetadataSnifferContext(
            mediaTypes: ["nonsense", " Text/HTML ; a=b", "image/*"],
            fileExtensions: [".ePub ", "", "a b", "x/y"])
        #expect(
            context.hasMediaType("text/html") && context.hasMediaType("text/*")
                && context.hasMediaType(.pdf, .html))
        #expect(
            !context.hasMediaType("text/html;a=c") && !context.hasMediaType("image/png")
                && !context.hasMediaType("nonsense"))
        #expect(
            context.hasFileExtension("epub") && context.hasFileExtension(".EPUB")
                && context.hasFileExtension("a", "epub"))
        #expect(
            !context.hasFileExtension("") && !context.hasFileExtension("a b")
                && !context.hasFileExtension("x/y"))
        #expect(!context.hasFileExtension("y"))
    }

    @Test("A context of hints has no content")
    func metadata() {
        let context = Format.MetadataSnifferContext(fileExtensions: ["x"])
        #expect(!context.hasContent && context.contentAsString == nil && context.contentAsJson == nil)
        #expect(context.contentAsXml == nil && context.contentAsZip == nil && context.stream() == nil)
        #expect(
            context.read(0..<1) == nil && context.contentAsRwpm == nil && !context.contentBegins(with: []))
    }

    @Test(
        "Text is decoded by the first known charset of the hints, else as UTF-8; a mark overrides both",
        arguments: [
            ([0x61, 0xC3, 0xA9], [], "aé"), ([0xE9], [], nil), ([0xE9], ["text/plain;charset=latin1"], "é"),
            ([0xE9], ["a/b", "text/plain;charset=unknown", "text/plain;charset=iso-8859-1"], "é"),
            ([0xEF, 0xBB, 0xBF, 0x61], ["text/plain;charset=latin1"], "a"), ([0xFF, 0xFE, 0x61, 0], [], "a"),
            ([0xFE, 0xFF, 0, 0x61], [], "a"), ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], [], "a"), ([], [], ""),
            ([0x80], ["text/plain;charset=windows-1252"], "€"),
            ([0x83, 0x41], ["text/plain;charset=shift_jis"], "ア"),
            ([0xFF], ["text/plain;charset=us-ascii"], nil),
        ] as [([UInt8], [String], String?)])
    func text(_ bytes: [UInt8], _ mediaTypes: [String], _ expected: String?) {
        let context = Format.BytesSnifferContext(bytes: { Data(bytes) }, mediaTypes: mediaTypes)
        #expect(context.contentAsString == expected)
    }

    @Test("Text and JSON of more than 16 MiB are not loaded; JSON must be an object")
    func limits() {
        let space = [UInt8](repeating: 0x20, count: 16 << 20)
        let fits = Format.BytesSnifferContext(bytes: { Data(space[..<(space.count - 2)] + Array("{}".utf8)) })
        #expect(fits.contentAsString?.utf8.count == 16 << 20)
        let tooLong = Format.BytesSnifferContext(bytes: { Data(Array("{}".utf8) + space) })
        #expect(tooLong.contentAsString == nil && tooLong.contentAsJson == nil)
        #expect(context("{\"a\": 5}").contentAsJson != nil && context(" \u{FEFF}").contentAsJson == nil)
        #expect(
            context("[]").contentAsJson == nil && context("5").contentAsJson == nil
                && context("{").contentAsJson == nil)
    }

    @Test("Ranges are clamped, streams begin anew and belong to the caller")
    func reading() throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try content.write(to: URL(fileURLWithPath: folder.path("a")))
        let contexts: [any Format.SnifferContext] = [
            Format.FileSnifferContext(path: folder.path("a")), Format.BytesSnifferContext(bytes: { content }),
            Format.SourceSnifferContext(source: DataByteSource(content)),
        ]
        for context in contexts {
            #expect(context.read(0..<10) == content[..<10])
            #expect(context.read(99_990..<200_000) == content[99_990...])
            #expect(context.read(4000..<80_000) == content[4000..<80_000])
            #expect(context.read(100_000..<100_001) == Data() && context.read(5..<5) == Data())
            #expect(context.read(-5..<3) == content[..<3])
            #expect(context.read(0..<Int64.max) == content)
            let streams = try [#require(context.stream()), #require(context.stream())]
            context.close()
            context.close()
            #expect(context.read(0..<10) == nil && context.contentAsString == nil && context.stream() == nil)
            for stream in streams {
                var read = Data()
                while case let piece = try stream.read(30_000), !piece.isEmpty { read += piece }
                #expect(read == content)
                stream.close()
                #expect(throws: ByteSourceError.self) { try stream.read(1) }
            }
        }
    }

    @Test("A source is not closed, and a guess closes its context on every way out")
    func ownership() throws {
        let source = DataByteSource(Data("%PDF".utf8))
        #expect(Format.guess(source: source) == .pdf)
        #expect(try source.read(at: 0, count: 4) == Data("%PDF".utf8))
        let kept = Kept()
        for inspecting in [false, true] {
            let sniffer: Format.Sniffer = { context, isInspecting in
                kept.keep(context)
                return isInspecting == inspecting ? .pdf : nil
            }
            #expect(Format.guess(bytes: { Data("x".utf8) }, sniffers: [sniffer]) == .pdf)
            #expect(kept.context?.read(0..<1) == nil)
        }
    }

    @Test("An archive that a sniffer keeps against the rules cannot be read after the guess")
    func keptArchive() throws {
        let kept = Kept()
        let bytes = ZipBuilder.archive([.init("a.txt", "x")])
        let sniffer: Format.Sniffer = { context, _ in
            kept.keep(context.contentAsZip)
            return nil
        }
        #expect(Format.guess(bytes: { Data(bytes) }, sniffers: [sniffer]) == nil)
        let archive = try #require(kept.archive)
        let entry = try #require(archive.entry("a.txt"))
        #expect(throws: ArchiveError.self) { try archive.read(entry) }
    }

    /// Keeps a context, which is against the rules. One thread uses it.
    private final class Kept: @unchecked Sendable {
        private(set) var context: (any Format.SnifferContext)?
        private(set) var archive: ZipArchive?
        func keep(_ context: any Format.SnifferContext) { self.context = context }
        func keep(_ archive: ZipArchive?) { self.archive = archive }
    }

    @Test("A context of one's own needs only the members without a default")
    func own() {
        final class Own: Format.SnifferContext {
            let content: [UInt8]
            init(_ content: [UInt8]) { self.content = content }
            var mediaTypes: [String] { [] }
            var fileExtensions: [String] { [] }
            var contentAsString: String? { nil }
            var contentAsJson: JSONObject? { nil }
            var contentAsXml: XmlDocument? {
                Format.BytesSnifferContext(bytes: { [content] in Data(content) }).contentAsXml
            }
            var contentAsZip: ZipArchive? {
                do throws(ArchiveError) {
                    return try ZipArchive.open(source: DataByteSource(Data(content)))
                } catch { return nil }
            }
            func read(_ range: Range<Int64>) -> Data? {
                Data(content[Int(range.lowerBound)..<min(content.count, Int(range.upperBound))])
            }
            func stream() -> ContentStream? { nil }
            func close() {}
        }
        for sample in FormatSample.all {
            // Without a view of the document type, HTML is recognised only by its root.
            #expect(Format.guess(Own(sample.content)) == sample.format)
        }
        #expect(Format.explain(Own(Array("%PDF".utf8))).sniffer == "sniffer 18")
    }
}

@Suite("The list of sniffers can be extended")
struct SnifferListTests {
    @Test("Changes from many threads are all kept, and guesses meanwhile are right")
    func concurrency() {
        let list = SnifferList(BuiltInSniffer.draftSniffers)
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            list.lock()
            list.sniffers.append { _, _ in nil }
            list.unlock()
            #expect(list.read().count >= 19)
        }
        #expect(list.read().count == 18 + 64)
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            Format.defaultSniffers.append { _, _ in nil }
            #expect(Format.guess(path: "/nowhere/a.epub") == .epub)
            #expect(Format.guess(bytes: { Data("%PDF".utf8) }) == .pdf)
            #expect(Format.defaultSniffers.count > 18)
        }
        Format.defaultSniffers.removeLast(64)
        #expect(Format.guess(path: "/nowhere/a.epub") == .epub)
    }

    @Test("Sniffers of one's own work in a call, before or after the known ones")
    func own() {
        let mine = Format(mediaType: .pdf, name: "Mine", fileExtension: "mine")
        let always: Format.Sniffer = { _, inspecting in inspecting ? mine : nil }
        #expect(
            Format.guess(bytes: { Data("%PDF".utf8) }, sniffers: [always] + Format.defaultSniffers)?.name
                == "Mine")
        #expect(
            Format.guess(bytes: { Data("%PDF".utf8) }, sniffers: Format.defaultSniffers + [always])?.name
                == "PDF")
        #expect(
            Format.guess(bytes: { Data("?".utf8) }, sniffers: Format.defaultSniffers + [always])?.name
                == "Mine")
        #expect(Format.guess(path: "a.pdf", sniffers: []) == nil)
        #expect(
            Format.guess(fileExtensions: ["x"], sniffers: [{ _, inspecting in inspecting ? mine : nil }])
                == nil)
    }

    @Test(
        "The table of light rules answers as the sniffers do one after the other",
        arguments: ["epub", "pdf", "html", "cbz", "x", "png", "json"])
    func shortcut(_ name: String) {
        for type in [
            "application/pdf", "text/html;a=b", "application/atom+xml;profile=opds-catalog",
            "application/atom+xml;type=entry;profile=opds-catalog", "a/b",
        ] {
            let copy = BuiltInSniffer.draftSniffers.map { $0 }
            #expect(
                Format.guess(
                    fileExtensions: [name], mediaTypes: [type], sniffers: BuiltInSniffer.draftSniffers)
                    == Format.guess(fileExtensions: [name], mediaTypes: [type], sniffers: copy))
        }
    }
}
