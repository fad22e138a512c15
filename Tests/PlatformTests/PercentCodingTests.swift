import Platform
import Testing

@Suite("Percent-encoding is read and written")
struct PercentCodingTests {
    @Test("Two digits of either case stand for a byte")
    func digits() {
        #expect(PercentCoding.decoded("a%20b%c3%BC") == "a bü")
        #expect(PercentCoding.lenientlyDecoded("a%20b%c3%BC") == "a bü")
        #expect(PercentCoding.bytes("%FF%00".utf8) == [0xFF, 0])
    }

    @Test(
        "A percent sign without two digits is an error, or stands for itself",
        arguments: ["%", "%4", "%4g", "100%", "%+f", "%-1", "% 1", "%%"])
    func strays(text: String) {
        #expect(PercentCoding.bytes(text.utf8) == nil && PercentCoding.decoded(text) == nil)
        #expect(PercentCoding.lenientlyDecoded(text) == text)
        #expect(PercentCoding.lenientlyDecoded(text + "%41") == text + "A")
    }

    @Test("Bytes that are not UTF-8 are refused")
    func noText() {
        #expect(PercentCoding.decoded("%FF") == nil && PercentCoding.lenientlyDecoded("%FF") == nil)
        #expect(PercentCoding.decoded(repairing: "a%FF%") == "a\u{FFFD}%")
    }

    @Test("Only the chosen bytes are encoded and decoded, in one pass from the left")
    func chosen() {
        let coded = Set("%@".utf8)
        #expect(PercentCoding.encoded("a@b %é", only: coded) == "a%40b %25é")
        #expect(PercentCoding.decoded("a%40b%20%2540%4", only: coded) == "a@b%20%40%4")
    }

    @Test("An encoded text decodes to the same text, and kept characters stay")
    func encoding() {
        let text = "a b/c%20d%zü~"
        #expect(PercentCoding.encoded(text) == "a%20b%2Fc%2520d%25z%C3%BC~")
        #expect(PercentCoding.decoded(PercentCoding.encoded(text)) == text)
        #expect(
            PercentCoding.encoded(text, keeping: "/", keepsEncoded: true) == "a%20b/c%20d%25z%C3%BC~")
    }
}
