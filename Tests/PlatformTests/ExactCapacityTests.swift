import Platform
import Testing

@Suite("A text from parts has the bytes of the parts")
struct ExactCapacityTests {
    @Test("Parts follow one another byte by byte, also where their characters combine")
    func bytes() {
        let long = String(repeating: "ü", count: 100)
        for parts in [("", "", ""), ("a", "/", "b.epub"), ("e", "\u{301}", ""), (long, "", long)] {
            let text = String(exactly: parts.0, parts.1, parts.2)
            #expect(Array(text.utf8) == Array(parts.0.utf8) + Array(parts.1.utf8) + Array(parts.2.utf8))
        }
    }
}
