import Testing

@testable import Platform

@Suite("Texts are sorted as people count")
struct NaturalOrderTests {
    @Test(
        "The first text comes before the second",
        arguments: [
            ("Volume 9", "Volume 10"), ("Volume 2", "Volume 10 b"), ("a", "b"), ("", "a"), ("a1", "a1b"),
            ("a", "a0"),
            ("99999999999999999999999999998", "99999999999999999999999999999"), ("x9", "x010"),
        ])
    func before(first: String, second: String) {
        #expect(NaturalOrder.compare(first, second) < 0)
        #expect(NaturalOrder.compare(second, first) > 0)
    }

    @Test("Leading zeros make no difference")
    func zeros() { #expect(NaturalOrder.compare("007", "7") == 0) }

    static let folded = [
        ("Éclair.pdf", "Fable.pdf"), ("Eclair 2.pdf", "Éclair 10.pdf"), ("emile", "ÉMILE 2"),
        ("Zoë a", "zoe b"),
        ("5", "5１"), ("5１", "60"), ("6", "5１"), ("A", "b"), ("a", "B"), ("e", "e\u{301}a"), ("日本", "本"),
        ("z", "é\u{301}"), ("straße", "strasse 2"), ("_a", "a"), ("a.pdf", "a/b.pdf"),
    ]

    @Test("Folded texts have the order of their folded forms, also where ASCII decides", arguments: folded)
    func foldedOrder(one: String, other: String) {
        let expected = NaturalOrder.compare(one.folded, other.folded)
        #expect(NaturalOrder.Key(one).compare(NaturalOrder.Key(other)).signum() == expected.signum())
        #expect(NaturalOrder.Key(other).compare(NaturalOrder.Key(one)).signum() == -expected.signum())
    }

    @Test(
        "Case and accents make no difference in the folded order",
        arguments: [("Émile", "EMILE"), ("e\u{301}", "e")])
    func foldedEqual(one: String, other: String) {
        #expect(NaturalOrder.Key(one).compare(NaturalOrder.Key(other)) == 0)
    }
}
