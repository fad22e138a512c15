import Platform
import Testing

@Suite("Bytes are converted between encodings of the C library")
struct TextConverterTests {
    private func convert(_ bytes: [UInt8], from name: String, _ rule: TextConverter.Rule) -> String? {
        guard let converter = TextConverter(from: name, to: "UTF-8") else {
            Issue.record("The C library lacks \(name).")
            return nil
        }
        return converter.convert(bytes.span.bytes, rule).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Valid bytes are converted under every rule",
        arguments: [TextConverter.Rule.valid, .replacing])
    func valid(rule: TextConverter.Rule) {
        #expect(convert([0x61, 0xE9, 0x80], from: "CP1252", rule) == "aé€")
        #expect(convert([0x82, 0xA0], from: "CP932", rule) == "あ")
        #expect(convert([], from: "CP932", rule) == "")
    }

    @Test("A byte without meaning, or half a letter, ends the conversion or is replaced")
    func invalid() {
        for (bytes, replaced) in [([0x61, 0x81, 0x62], "a\u{FFFD}b"), ([0x81], "\u{FFFD}")]
            as [([UInt8], String)]
        {
            #expect(convert(bytes, from: "CP1252", .valid) == nil)
            #expect(convert(bytes, from: "CP1252", .replacing) == replaced)
        }
        #expect(convert([0x61, 0x82], from: "CP932", .valid) == nil)
        #expect(convert([0x61, 0x82], from: "CP932", .replacing) == "a\u{FFFD}")
    }

    @Test("A byte that is replaced does not end a shift to other letters")
    func shifted() {
        let bytes: [UInt8] = [0x1B, 0x24, 0x42, 0x24, 0x22, 0xFF, 0x24, 0x24, 0x1B, 0x28, 0x42, 0x61]
        #expect(convert(bytes, from: "ISO-2022-JP", .replacing) == "あ\u{FFFD}いa")
    }

    @Test(
        "A last letter that could still get an accent is written",
        arguments: [TextConverter.Rule.valid, .replacing])
    func held(rule: TextConverter.Rule) {
        #expect(convert([0x62, 0x61], from: "CP1258", rule) == "ba")
        #expect(convert([0x61, 0xEC], from: "CP1258", rule) == "\u{E1}")
    }

    @Test("Texts longer than the buffer are whole")
    func long() throws {
        let bytes = [UInt8](repeating: 0x80, count: 300_000)
        let text = try #require(convert(bytes, from: "CP1252", .valid))
        #expect(text.unicodeScalars.count == 300_000)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\u{20AC}" })
    }

    @Test("A converter starts again after a failed conversion")
    func again() {
        guard let converter = TextConverter(from: "ISO-2022-JP", to: "UTF-8") else {
            Issue.record("The C library lacks ISO-2022-JP.")
            return
        }
        // The conversion fails after the shift to letters of two bytes.
        let (broken, sound): ([UInt8], [UInt8]) = ([0x1B, 0x24, 0x42, 0xFF], [0x61, 0x62])
        let results = [broken, sound].map { converter.convert($0.span.bytes, .valid) }
        #expect(results == [nil, sound])
    }

    @Test("An unknown encoding has no converter", arguments: [("nonsense", "UTF-8"), ("UTF-8", "nonsense")])
    func unknown(from: String, to: String) {
        let isKnown = TextConverter(from: from, to: to) != nil
        #expect(!isKnown)
    }
}
