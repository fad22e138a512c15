import Platform
import Testing

@Suite("The nearest name to a typo is found")
struct NearestNameTests {
    private static let commands = ["books", "upload", "delete", "get"]

    @Test(
        "A near name is found, a different one is not",
        arguments: [
            ("boks", "books"), ("uplaod", "upload"), ("Delete", "delete"), ("got", "get"), ("zzzz", nil),
            ("", nil),
        ] as [(String, String?)])
    func nearest(word: String, expected: String?) {
        #expect(NearestName.find(word, in: Self.commands) == expected)
    }

    @Test("The first of equally near names is taken, and only the beginning of a long one counts")
    func order() {
        #expect(NearestName.find("cat", in: ["bat", "rat"]) == "bat")
        let long = String(repeating: "a", count: 1 << 20)
        #expect(NearestName.find(long, in: [long + "b"]) == long + "b")
    }
}
