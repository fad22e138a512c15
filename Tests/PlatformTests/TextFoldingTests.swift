import Platform
import Testing

@Suite("Texts are compared as people do")
struct TextFoldingTests {
    @Test(
        "Case, accents and width do not count",
        arguments: [
            ("Émile", "emile"), ("E\u{301}MILE", "émile"), ("ＥＰＵＢ　２", "epub 2"), ("Straße", "STRASSE"),
            ("ὈΔΥΣΣΕΎΣ", "οδυσσευς"), ("ﾊﾟﾘ", "パリ"), ("Ёлка", "елка"),
        ])
    func alike(one: String, other: String) { #expect(one.folded == other.folded) }

    @Test(
        "Letters and vowel signs count",
        arguments: [("o", "p"), ("कि", "का"), ("ハ", "バ"), ("a b", "ab")])
    func different(one: String, other: String) { #expect(one.folded != other.folded) }

    @Test("A decomposed text has each accent as its own scalar")
    func decomposed() {
        #expect(
            Array("Zoë 각".decomposed.unicodeScalars.map(\.value)) == [
                0x5A, 0x6F, 0x65, 0x308, 0x20, 0x1100, 0x1161, 0x11A8,
            ])
    }

    @Test("Trimming takes what is unwanted from both ends only")
    func trimmed() {
        #expect("  a b ".trimmed(of: \.isWhitespace) == "a b")
        #expect("a".trimmed(of: \.isWhitespace) == "a")
        #expect(" \n".trimmed(of: \.isWhitespace).isEmpty)
    }
}
