import FormatSamples
@testable import Formats
import FoundationEssentials
import Testing

/// The format of bytes without any hint.
func guess(_ bytes: [UInt8]) -> Format? { Format.guess(bytes: { Data(bytes) }) }

/// The format of a text without any hint.
func guess(_ text: String) -> Format? { guess(Array(text.utf8)) }

@Suite("Heavy rules recognise the format by the content alone")
struct HeavyRuleTests {
    @Test("A sound document of each format is recognised without a hint", arguments: FormatSample.all)
    func samples(_ sample: FormatSample) {
        let report = Format.explain(bytes: { Data(sample.content) })
        #expect(report.format == sample.format)
        #expect(report.sniffer == sample.name)
        #expect(report.round == .heavy)
        #expect(report.evidence?.isEmpty == false)
        #expect(report.bytesRead > 0)
    }

    @Test("There are eighteen samples, in the order of the sniffers")
    func order() {
        #expect(
            FormatSample.all.map(\.name) == [
                "html", "opds1Feed", "opds1Entry", "opds2Feed", "opds2Publication", "lcpLicense",
                "audiobookManifest",
                "diViNaManifest", "webPubManifest", "lcpProtectedAudiobook", "lcpProtectedPdf", "audiobook",
                "diViNa",
                "webPub", "epub", "cbz", "zab", "pdf",
            ])
    }

    @Test("The sniffers stand in the prescribed order, each knowing its own format")
    func sniffers() throws {
        let sniffers = BuiltInSniffer.draftSniffers
        try #require(sniffers.count == 18)
        for (sample, sniffer) in zip(FormatSample.all, sniffers) {
            let context = Format.BytesSnifferContext(bytes: { Data(sample.content) })
            #expect(sniffer(context, false) == nil)
            #expect(sniffer(context, true) == sample.format)
            context.close()
        }
    }

    @Test(
        "Content of no format gives nil",
        arguments: ["", "x", "plain text\n", "{", "<", "[]", "{}", "PK", "%PD", "GIF89a"])
    func nothing(_ text: String) {
        #expect(guess(text) == nil)
    }

    @Test("A document of several kinds is of the first one in the order")
    func precedence() {
        let opds = FormatSample.manifest(
            "\"links\": [{\"rel\": [\"self\", \"http://opds-spec.org/acquisition\"], \"href\": \"a\", \"type\": \"application/webpub+json\"}]"
        )
        #expect(guess(opds) == .opds2Publication)
        let both: [ZipBuilder.Entry] = [
            .init("META-INF/container.xml", "<container/>"), .init("manifest.json", FormatSample.manifest()),
        ]
        #expect(guess(ZipBuilder.archive(both)) == .webPub)
        let licence = FormatSample.manifest(
            type: "http://schema.org/Audiobook",
            "\"id\": 1, \"issued\": 2, \"provider\": 3, \"encryption\": 4")
        #expect(guess(licence) == .lcpLicense)
    }
}
