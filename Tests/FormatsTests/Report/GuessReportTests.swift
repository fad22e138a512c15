import Archives
import FormatSamples
import Formats
import Foundation
import TestSupport
import Testing

@Suite("Every guess can report who answered, when, why, and at what cost")
struct GuessReportTests {
    @Test("A light answer names the hint and reads nothing")
    func light() {
        let byExtension = Format.explain(path: "/nowhere/a.EPUB")
        #expect(byExtension.format == .epub && byExtension.sniffer == "epub" && byExtension.round == .light)
        #expect(
            byExtension.evidence == "extension epub" && byExtension.bytesRead == 0
                && byExtension.readError == nil)
        let byType = Format.explain(fileExtensions: ["x"], mediaTypes: ["y/z", "Application/X-CBZ;a=b"])
        #expect(byType.sniffer == "cbz" && byType.evidence == "media type application/x-cbz;a=b")
    }

    @Test("An unknown format has no sniffer and no round, but a number of bytes")
    func unknown() {
        let report = Format.explain(bytes: { Data("plain".utf8) })
        #expect(
            report.format == nil && report.sniffer == nil && report.round == nil && report.evidence == nil)
        #expect(report.bytesRead == 5)
    }

    @Test("Unreadable content is reported")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        #expect(Format.explain(path: folder.path("missing")).readError?.code == .notFound)
        #expect(Format.explain(path: folder.path).readError?.code == .notFound)
        #expect(Format.explain(path: "a\u{0}b").readError?.code == .notFound)
        #expect(Format.explain(path: folder.path("missing.pdf")).readError == nil)
    }

    @Test("A sniffer of one's own is named by its place, or as it names itself")
    func own() {
        let silent: Format.Sniffer = { _, inspecting in inspecting ? .pdf : nil }
        let speaking: Format.Sniffer = { context, inspecting in
            inspecting ? context.answer(.pdf, sniffer: "mine", because: "I say so") : nil
        }
        let report = Format.explain(bytes: { Data("x".utf8) }, sniffers: [{ _, _ in nil }, silent])
        #expect(report.sniffer == "sniffer 2" && report.round == .heavy && report.evidence == nil)
        let named = Format.explain(bytes: { Data("x".utf8) }, sniffers: [], otherwise: [speaking])
        #expect(named.sniffer == "mine" && named.evidence == "I say so")
    }

    @Test("Later sniffers are asked after the first ones, with the same context")
    func otherwise() {
        var calls = 0
        let report = Format.explain(
            bytes: {
                calls += 1
                return Data("{\"a\": 1}".utf8)
            }, otherwise: Format.extendedSniffers)
        #expect(report.format == .json && report.sniffer == "json" && report.round == .heavy && calls == 1)
    }
}

@Suite("Reading is bounded")
struct BoundedReadingTests {
    /// A source that claims to be a terabyte long and repeats one text.
    private struct Endless: ByteSource {
        let text: [UInt8]
        var length: Int64 { 1 << 40 }
        func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
            let from = Int(offset % Int64(text.count))
            return Data((0..<count).map { text[(from + $0) % text.count] })
        }
        func close() {}
    }

    @Test(
        "At most 64 KiB are read of content that is not an archive, however long it is",
        arguments: [
            "x", " ", "\u{0}", "<!-- ", "<!-- x -->", "<a b='", "{\"a\": [1", "{", "[", "[1,", "\n\t", "PK",
            "<", "<?xml ", "{\"a\": \"é",
        ])
    func endless(_ text: String) {
        let report = Format.explain(
            source: Endless(text: Array(text.utf8)), otherwise: Format.extendedSniffers)
        #expect(report.bytesRead <= 65_536)
    }

    @Test(
        "At most 64 KiB are read of JSON in wide characters, even if it is known to be longer",
        arguments: [[0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF, 0, 0x5B], [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x7B]]
            as [[UInt8]])
    func endlessWide(_ bytes: [UInt8]) {
        let report = Format.explain(source: Endless(text: bytes), otherwise: Format.extendedSniffers)
        #expect(report.format == nil)
        #expect(report.bytesRead <= 65_536)
    }

    @Test(
        "Most formats are recognised by the first KiB of a large file",
        arguments: ["%PDF-1.7\n", "<html>", "<feed>", "\u{FEFF}<!doctype html><p>"])
    func firstLook(_ beginning: String) throws {
        let folder = try TemporaryFolder()
        try Data(Array(beginning.utf8) + [UInt8](repeating: 0x20, count: 1 << 20)).write(
            to: URL(fileURLWithPath: folder.path("a")))
        let report = Format.explain(path: folder.path("a"))
        #expect(report.format != nil)
        #expect(report.bytesRead == 1024)
    }

    @Test("Only the directory and the named entries of an archive are read")
    func archive() throws {
        let large = [UInt8](repeating: 7, count: 4 << 20)
        let bytes = ZipBuilder.archive([
            .init("large", large), .init("manifest.json", FormatSample.manifest()), .init("large2", large),
        ])
        let report = Format.explain(bytes: { Data(bytes) })
        #expect(report.format == .webPub)
        #expect(report.bytesRead < 3_000)
    }

    @Test(
        "Nothing is read twice, also of an archive that was cut short, which the report tells",
        arguments: [700, 5000, 17_000, 30_000, 100_000, 400_000], [false, true])
    func onceOnly(_ length: Int, isNear: Bool) throws {
        let whole = ZipBuilder.archive([
            .init("mimetype", Array("text/plain".utf8)),
            .init("large", [UInt8](repeating: 7, count: 500_000)),
        ])
        let source = NotingSource(Data(whole.prefix(length)), isNear: isNear)
        let report = Format.explain(source: source, otherwise: Format.extendedSniffers)
        #expect(report.format == .zip)
        #expect(report.damage?.code == .malformed)
        #expect(report.bytesRead == source.distinctBytes)
        #expect(report.bytesRead == source.deliveredBytes)
        #expect(report.bytesRead <= Int64(length))
        let sound = NotingSource(Data(whole), isNear: isNear)
        let other = Format.explain(source: sound, otherwise: Format.extendedSniffers)
        #expect(other.damage == nil)
        #expect(other.bytesRead == sound.distinctBytes && other.bytesRead == sound.deliveredBytes)
    }

    @Test("Content that is not an archive is not called a damaged one")
    func noArchive() {
        #expect(Format.explain(bytes: { Data("PK is a beginning".utf8) }).damage == nil)
        #expect(Format.explain(bytes: { Data("%PDF-1.7".utf8) }).damage == nil)
        #expect(Format.explain(fileExtensions: ["epub"]).damage == nil)
    }

    @Test("A manifest that is recognised by its first KiB is read no further, from near and far")
    func settled() {
        let filler =
            "\"resources\": [\(Array(repeating: "{\"href\": \"r\"}", count: 100_000).joined(separator: ","))]"
        let early = FormatSample.manifest(FormatSample.link("self", "application/opds+json"), filler)
        let report = Format.explain(bytes: { Data(early.utf8) })
        #expect(report.format == .opds2Feed && report.bytesRead == 1024)
        let far = Format.explain(source: NotingSource(Data(early.utf8)))
        #expect(far.format == .opds2Feed && far.bytesRead == 4096)
        let audiobook = FormatSample.manifest(type: "http://schema.org/Audiobook", "\"links\": []", filler)
        #expect(Format.explain(bytes: { Data(audiobook.utf8) }).bytesRead == 1024)
    }

    @Test("A manifest whose members come late is read on and found; one beyond 16 MiB is not")
    func late() {
        func filler(_ count: Int) -> String {
            "\"resources\": [\(Array(repeating: "{\"href\": \"r\"}", count: count).joined(separator: ","))]"
        }
        func document(_ count: Int) -> String {
            "{\(filler(count)), \(FormatSample.link("self", "application/webpub+json")), \"metadata\": {\"title\": \"T\"}}"
        }
        let report = Format.explain(bytes: { Data(document(100_000).utf8) })
        #expect(report.format == .webPubManifest && report.bytesRead > 1_000_000)
        let tooLong = Format.explain(bytes: { Data(document(1_400_000).utf8) })
        #expect(tooLong.format == nil && tooLong.bytesRead == 65_536)
    }

    @Test(
        "A document that was read completely must be JSON to its end, even if its beginning identifies the format"
    )
    func damagedShort() {
        let whole = FormatSample.manifest(FormatSample.link("self", "application/opds+json"))
        #expect(whole.utf8.count < 1000)
        #expect(Format.guess(bytes: { Data(whole.utf8) }) == .opds2Feed)
        #expect(Format.guess(bytes: { Data(whole.utf8.dropLast()) }) == nil)
    }

    @Test("A long document that is not JSON all the way is not a manifest, unless its beginning decides")
    func damagedLate() {
        let filler =
            "\"resources\": [\(Array(repeating: "{\"href\": \"r\"}", count: 100_000).joined(separator: ","))"
        #expect(Format.guess(bytes: { Data("{\(filler), \"metadata\": {\"title\": \"T\"}".utf8) }) == nil)
    }
}
