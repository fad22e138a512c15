import Testing

@testable import Platform

@Suite("A text is cut to a number of bytes between its letters")
struct TextPrefixTests {
    @Test(
        "The beginning has at most the given bytes, in whole letters",
        arguments: [
            ("Emma", 4, "Emma"), ("Emma", 3, "Emm"), ("Emma", 0, ""), ("", 5, ""), ("aé", 2, "a"),
            ("aé", 3, "aé"),
            ("ae\u{301}", 3, "a"), ("日本", 5, "日"), ("🇩🇪🇫🇷", 12, "🇩🇪"),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(Array(text.prefix(bytes: limit).utf8) == Array(expected.utf8))
        #expect(Array(text[...].prefix(bytes: limit).utf8) == Array(expected.utf8))
    }

    @Test("A first letter that is too long is cut between its scalars, also if it has millions of them")
    func endless() {
        let text = "e" + String(repeating: "\u{301}", count: 1 << 20)
        let cut = text.prefix(bytes: 1000)
        #expect(cut.utf8.count == 999 && cut.utf8.first == UInt8(ascii: "e"))
    }
}
