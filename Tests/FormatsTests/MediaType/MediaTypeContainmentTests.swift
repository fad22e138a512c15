import Formats
import Testing

@Suite("Media types are compared by type and parameters")
struct MediaTypeContainmentTests {
    @Test(
        "A type contains itself and narrower ones",
        arguments: [
            ("text/html", "text/html", true),
            ("text/html", "text/html;charset=utf-8", true),
            ("text/html;charset=utf-8", "text/html", false),
            ("text/html;charset=utf-8", "text/html;charset=UTF8", true),
            ("text/html;x=1;y=2", "text/html;y=2;z=3;x=1", true),
            ("text/html;x=1", "text/html;x=2", false),
            ("*/*", "text/html", true),
            ("*/*", "*/*", true),
            ("text/*", "text/html", true),
            ("text/*", "image/png", false),
            ("text/html", "text/*", false),
            ("text/html", "*/*", false),
            ("*/jpeg", "image/jpeg", true),
            ("*/jpeg", "image/png", false),
            ("text/*;x=1", "text/html", false),
            ("a/b;profile=opds-catalog", "a/b;profile=OPDS-CATALOG", false),
            ("text/html", "garbage", false),
            ("text/html", "", false),
        ])
    func contains(_ left: String, _ right: String, _ expected: Bool) throws {
        let left = try #require(MediaType(left))
        #expect(left.contains(right) == expected)
        if let right = MediaType(right) { #expect(left.contains(right) == expected) }
    }

    @Test("The OPDS 1 feed contains the entry, but the entry does not contain the feed")
    func feedContainsEntry() {
        #expect(MediaType.opds1.contains(.opds1Entry))
        #expect(!MediaType.opds1Entry.contains(.opds1))
    }

    @Test("Matching holds if either type contains the other")
    func matches() throws {
        let any = try #require(MediaType("*/*"))
        #expect(MediaType.html.matches(any))
        #expect(any.matches(.html))
        #expect(MediaType.opds1Entry.matches(.opds1))
        #expect(!MediaType.html.matches(.xhtml))
        #expect(MediaType.html.matches("text/html;charset=utf-8"))
        #expect(!MediaType.html.matches("garbage"))
        #expect(MediaType.html.matchesAny(.pdf, .html))
        #expect(!MediaType.html.matchesAny(.pdf, .epub))
        #expect(MediaType.html.matchesAny("garbage", "text/*"))
        #expect(!MediaType.html.matchesAny("garbage", "image/*"))
    }

    @Test("A switch takes the case whose type matches")
    func patterns() {
        switch MediaType("text/html;charset=utf-8") {
        case .some(.epub): Issue.record("HTML is not EPUB")
        case .some(.html): #expect(MediaType.html ~= MediaType.html)
        default: Issue.record("HTML was not found")
        }
    }

    @Test("Equality looks at all parameters in any order, and hashes agree")
    func equality() throws {
        let one = try #require(MediaType("A/b;x=1;y=\"2\""))
        let same = try #require(MediaType("a/B ;Y=2; X=1"))
        #expect(one == same)
        #expect(one.hashValue == same.hashValue)
        #expect(one != MediaType("a/b;x=1"))
        #expect(one != MediaType("a/b;x=1;y=3"))
        #expect(one != MediaType("a/c;x=1;y=2"))
    }
}
