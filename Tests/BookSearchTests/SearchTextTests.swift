import BookSearch
import Testing

@Suite("Texts are folded for the search")
struct SearchTextTests {
    @Test(
        "Spellings of one word are the same",
        arguments: [
            ("Straße", "STRASSE"), ("Ærø", "aero"), ("œuvre", "OEUVRE"), ("Łódź", "lodz"), ("Đorđe", "dorde"),
            ("İstanbul", "istanbul"), ("ısı", "isi"), ("ﬁn", "fin"), ("ﬃ", "ffi"), ("ＡＢＣ", "abc"),
            ("Việt", "viet"),
            ("e\u{301}", "é"), ("don’t", "don't"), ("1999–2001", "1999-2001"), ("soft\u{AD}ware", "software"),
            ("ﾊﾟﾘ", "パリ"), ("Ёж", "еж"), ("ὈΔΥΣΣΕΎΣ", "οδυσσευς"), ("עִבְרִית", "עברית"), ("H₂O", "h2o"),
            ("𝒳", "x"),
            ("„Zitat“", "\"zitat\""), ("½", "1⁄2"),
        ])
    func alike(one: String, other: String) {
        #expect(SearchText.folded(one) == SearchText.folded(other))
    }

    @Test(
        "Different words stay different",
        arguments: [("o", "p"), ("कि", "का"), ("ハ", "バ"), ("a b", "ab"), ("ü", "ue")])
    func different(one: String, other: String) {
        #expect(SearchText.folded(one) != SearchText.folded(other))
    }

    @Test(
        "White space and control characters are one space, and none at the ends",
        arguments: [
            (" a \t\n b ", "a b"), ("\u{A0}ä\u{3000}\u{0}b\u{85}", "a b"), ("a\u{0}b", "a b"), ("\u{0}", ""),
            ("", ""),
            ("A\u{7F}B", "a b"), ("\u{2028}é", "e"),
        ])
    func gaps(text: String, expected: String) {
        #expect(SearchText.folded(text) == expected)
    }

    @Test("Folding what is folded changes nothing")
    func stable() {
        for value in UInt32(1)..<0x3_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = SearchText.folded("a\(scalar)")
            let twice = SearchText.folded(once)
            if once != twice { Issue.record("\(String(value, radix: 16)): \(once), \(twice)") }
        }
    }
}
