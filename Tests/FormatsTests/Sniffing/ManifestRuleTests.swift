import FormatSamples
import Formats
import Foundation
import Testing

private func manifest(_ members: String...) -> String {
    "{\"metadata\": {\"title\": \"T\"}\(members.map { ", " + $0 }.joined())}"
}

@Suite("Manifests and feeds in JSON are recognised")
struct ManifestRuleTests {
    @Test(
        "A self link makes a feed or a manifest, by the media type it has and not by its text",
        arguments: [
            (
                "\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/opds+json\"}]",
                Format.opds2Feed
            ),
            (
                "\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"Application/OPDS+json; charset=utf-8\"}]",
                .opds2Feed
            ),
            (
                "\"links\": [{\"rel\": [\"alternate\", \"self\"], \"href\": \"x\", \"type\": \"application/opds+json\"}]",
                .opds2Feed
            ),
            (
                "\"links\": [5, {}, {\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/webpub+json\"}]",
                .webPubManifest
            ),
            (
                "\"links\": [{\"rel\": \"http://opds-spec.org/acquisition\", \"href\": \"x\"}]",
                .opds2Publication
            ),
            (
                "\"links\": [{\"rel\": [\"x\", \"http://opds-spec.org/acquisition/buy\"], \"href\": \"x\"}]",
                .opds2Publication
            ),
            (
                "\"links\": [{\"rel\": \"http://opds-spec.org/acquisitions\", \"href\": \"x\"}]",
                .opds2Publication
            ),
        ])
    func links(_ member: String, _ format: Format) {
        #expect(guess(manifest(member)) == format)
    }

    @Test(
        "Links elsewhere, of another relation or type, or without an address do not count",
        arguments: [
            "\"links\": [{\"rel\": \"self\", \"href\": \"x\"}]",
            "\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": 5}]",
            "\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/json\"}]",
            "\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/*\"}]",
            "\"links\": [{\"rel\": \"Self\", \"href\": \"x\", \"type\": \"application/opds+json\"}]",
            "\"links\": [{\"rel\": \"self\", \"type\": \"application/opds+json\"}]",
            "\"links\": [{\"rel\": \"self\", \"href\": 5, \"type\": \"application/opds+json\"}]",
            "\"links\": {\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/opds+json\"}",
            "\"readingOrder\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/webpub+json\"}]",
            "\"resources\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/webpub+json\"}]",
            "\"publications\": [{\"links\": [{\"rel\": \"http://opds-spec.org/acquisition\", \"href\": \"x\"}]}]",
            "\"groups\": [{\"links\": [{\"rel\": \"self\", \"href\": \"x\", \"type\": \"application/opds+json\"}]}]",
            "\"links\": [{\"rel\": \"https://opds-spec.org/acquisition\", \"href\": \"x\"}]",
            "\"links\": [{\"rel\": \"HTTP://opds-spec.org/acquisition\", \"href\": \"x\"}]",
        ])
    func otherLinks(_ member: String) {
        #expect(guess(manifest(member)) == nil)
    }

    @Test("A licence needs its four members and nothing else, of any type")
    func licence() {
        #expect(
            guess("{\"id\": null, \"issued\": [], \"provider\": {}, \"encryption\": 5, \"more\": 1}")
                == .lcpLicense)
        for missing in ["id", "issued", "provider", "encryption"] {
            let names = ["id", "issued", "provider", "encryption"].filter { $0 != missing }
            #expect(guess("{\(names.map { "\"\($0)\": 1" }.joined(separator: ", "))}") == nil)
        }
        #expect(guess("{\"x\": {\"id\": 1, \"issued\": 1, \"provider\": 1, \"encryption\": 1}}") == nil)
        #expect(guess("[{\"id\": 1, \"issued\": 1, \"provider\": 1, \"encryption\": 1}]") == nil)
    }

    @Test("An audiobook has exactly the type of schema.org")
    func audiobook() {
        func guessed(_ type: String) -> Format? {
            guess("{\"metadata\": {\"title\": \"T\", \"@type\": \(type)}}")
        }
        #expect(guessed("\"http://schema.org/Audiobook\"") == .audiobookManifest)
        #expect(guessed("\"http:\\/\\/schema.org\\/Audiobook\"") == .audiobookManifest)
        #expect(guessed("\"https://schema.org/Audiobook\"") == nil)
        #expect(guessed("\"http://schema.org/audiobook\"") == nil)
        #expect(guessed("[\"http://schema.org/Audiobook\"]") == nil)
        #expect(guessed("\"http://schema.org/Audiobook \"") == nil)
        #expect(
            guess("{\"@type\": \"http://schema.org/Audiobook\", \"metadata\": {\"title\": \"T\"}}") == nil)
        #expect(guess("{\"metadata\": {\"title\": \"T\", \"type\": \"http://schema.org/Audiobook\"}}") == nil)
    }

    @Test(
        "A visual narrative has a reading order of bitmaps alone, and at least one",
        arguments: [
            ("\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/jpeg\"}]", true),
            (
                "\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/png;x=1\"}, {\"href\": \"2\", \"type\": \"IMAGE/WEBP\"}]",
                true
            ),
            ("\"spine\": [{\"href\": \"1\", \"type\": \"image/gif\"}]", true),
            ("\"readingOrder\": 5, \"spine\": [{\"href\": \"1\", \"type\": \"image/gif\"}]", true),
            (
                "\"readingOrder\": [5, {}, {\"type\": \"text/html\"}, {\"href\": \"1\", \"type\": \"image/tiff\"}]",
                true
            ),
            ("\"readingOrder\": []", false),
            ("\"readingOrder\": [{\"href\": \"1\"}]", false),
            ("\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/jpeg\"}, {\"href\": \"2\"}]", false),
            ("\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/svg+xml\"}]", false),
            ("\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/avif\"}]", false),
            ("\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/*\"}]", false),
            (
                "\"readingOrder\": [{\"href\": \"1\", \"type\": \"text/html\"}], \"spine\": [{\"href\": \"1\", \"type\": \"image/gif\"}]",
                false
            ),
            ("\"readingOrder\": [], \"spine\": [{\"href\": \"1\", \"type\": \"image/gif\"}]", false),
            ("\"resources\": [{\"href\": \"1\", \"type\": \"image/jpeg\"}]", false),
        ])
    func diViNa(_ member: String, _ expected: Bool) {
        #expect(guess(manifest(member)) == (expected ? .diViNaManifest : nil))
    }
}

@Suite("A minimal manifest is read strictly")
struct LeastManifestTests {
    private func isManifest(_ text: String) -> Bool {
        let context = Format.BytesSnifferContext(bytes: { Data(text.utf8) })
        return context.contentAsRwpm != nil
    }

    @Test(
        "A title is a text or texts by language, not empty",
        arguments: [
            ("\"T\"", true), ("\" \"", true), ("{\"en\": \"T\"}", true),
            ("{\"en\": \"T\", \"fr\": \"\"}", true),
            ("\"\"", false), ("{}", false), ("{\"en\": 5}", false), ("5", false), ("null", false),
            ("[\"T\"]", false),
        ])
    func title(_ title: String, _ expected: Bool) {
        #expect(isManifest("{\"metadata\": {\"title\": \(title)}}") == expected)
    }

    @Test(
        "Without an object metadata with a title it is not a manifest",
        arguments: [
            "{}", "{\"metadata\": {}}", "{\"metadata\": []}", "{\"metadata\": \"T\"}", "{\"title\": \"T\"}",
            "[]", "5", "\"x\"",
        ])
    func noMetadata(_ text: String) {
        #expect(!isManifest(text))
    }

    @Test("The last of repeated members counts")
    func repeated() {
        #expect(isManifest("{\"metadata\": 5, \"metadata\": {\"title\": 5, \"title\": \"T\"}}"))
        #expect(!isManifest("{\"metadata\": {\"title\": \"T\"}, \"metadata\": {}}"))
        let twice = manifest(
            "\"readingOrder\": [{\"href\": \"1\", \"type\": \"text/html\"}]",
            "\"readingOrder\": [{\"href\": \"1\", \"type\": \"image/png\"}]")
        #expect(guess(twice) == .diViNaManifest)
        let links =
            "{\"metadata\": {\"title\": \"T\"}, \"links\": [{\"rel\": \"http://opds-spec.org/acquisition\", \"href\": \"x\"}], \"links\": []}"
        #expect(guess(links) == nil)
    }

    @Test(
        "What is not strict JSON is not a manifest",
        arguments: [
            "{\"metadata\": {\"title\": \"T\"},}", "{\"metadata\": {\"title\": \"T\"}} x",
            "{\"metadata\": {\"title\": \"T\"}",
            "{'metadata': {'title': 'T'}}", "{\"metadata\": {\"title\": \"T\", \"x\": NaN}}",
            "{\"metadata\": {\"title\": \"T\"} /* c */}",
            "{\"metadata\": {\"title\": \"T\", \"x\": 01}}",
            "{\"metadata\": {\"title\": \"T\", \"x\": \"\\ud800\"}}",
            "{\"metadata\": {\"title\": \"T\n\"}}", "{\"metadata\": {\"title\": \"\\x\"}}",
            "{\"metadata\": {\"title\": \"T\"}, \"x\": +1}",
            "{metadata: {\"title\": \"T\"}}", "{\"metadata\" {\"title\": \"T\"}}",
            "{\"metadata\": {\"title\": \"T\"}}{}",
        ])
    func notJson(_ text: String) {
        #expect(!isManifest(text))
    }

    @Test("Nesting of 256 levels is read, one more is not")
    func depth() {
        func nested(_ levels: Int) -> String {
            manifest(
                "\"x\": \(String(repeating: "[", count: levels))\(String(repeating: "]", count: levels))")
        }
        #expect(isManifest(nested(255)))
        #expect(!isManifest(nested(256)))
        #expect(
            !isManifest(
                "{\"metadata\": {\"title\": \"T\"}, \"x\": " + String(repeating: "[", count: 1_000_000)))
    }

    @Test("Bytes that are not UTF-8 are not JSON")
    func badText() {
        for bad in [
            [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
        ] as [[UInt8]] {
            let text = Array("{\"metadata\": {\"title\": \"".utf8) + bad + Array("\"}}".utf8)
            #expect(JSONOutlineProbe.isManifest(text) == false)
        }
        #expect(isManifest("{\"metadata\": {\"title\": \"é€😀\"}}"))
    }

    @Test("A byte order mark and blanks before the object are skipped; UTF-16 and UTF-32 need the mark")
    func encodings() throws {
        let text = "\n {\"metadata\": {\"title\": \"é\"}}"
        #expect(isManifest("\u{FEFF}" + text))
        let marks: [(String.Encoding, [UInt8])] = [
            (.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF]),
            (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
        ]
        for (encoding, mark) in marks {
            let bytes = [UInt8](try #require(text.data(using: encoding)))
            #expect(JSONOutlineProbe.isManifest(mark + bytes))
            #expect(!JSONOutlineProbe.isManifest(bytes))
        }
    }
}

/// Asks a context for the manifest of bytes.
enum JSONOutlineProbe {
    static func isManifest(_ bytes: [UInt8]) -> Bool {
        Format.BytesSnifferContext(bytes: { Data(bytes) }).contentAsRwpm != nil
    }
}
