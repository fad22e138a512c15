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
}
