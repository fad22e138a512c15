import Fetching
import Foundation
import TestSupport
import Testing

@Suite("HREFs are resolved against a base")
struct HREFTests {
    static let resolved: [(href: String, base: String, wanted: String)] = [
        ("", "/folder/", "/folder/"), ("", "/file.txt", "/file.txt"), ("", "", "/"), ("#a", "", "/#a"),
        ("#a", "/file.txt", "/file.txt#a"), ("#a", "/folder/", "/folder/#a"),
        ("#b", "/file.txt#a", "/file.txt#b"),
        ("#a", "http://h/f/x.txt", "http://h/f/x.txt#a"), ("?q", "/file.txt?p#a", "/file.txt?q"),
        ("#b", "/file.txt?p#a", "/file.txt?p#b"),
        ("a", "/folder", "/a"), ("a", "/folder/", "/folder/a"), ("a", "", "/a"),
        ("a", "folder/x", "/folder/a"),
        ("a/b.txt", "/file.txt", "/a/b.txt"), ("/a/b.txt", "/folder/", "/a/b.txt"),
        ("../a", "/x", "/a"), ("../a", "/", "/a"), ("../../../a", "/x/y/z", "/a"), ("../a", "/x/y/z", "/x/a"),
        ("a/../b", "/", "/b"), ("a/./b", "/", "/a/b"), ("a/..", "/", "/"), (".", "/f/", "/f/"),
        ("..", "/f/g/", "/f/"),
        ("a", "http://example.com/folder/file", "http://example.com/folder/a"),
        ("a", "http://example.com/folder", "http://example.com/a"),
        ("a", "http://example.com", "http://example.com/a"),
        ("/a", "https://example.com:8080/f/", "https://example.com:8080/a"),
        ("../../a", "http://example.com/f/", "http://example.com/a"),
        ("http://other.com/a%20b", "/", "http://other.com/a%20b"), ("mailto:a@b", "/x/", "mailto:a@b"),
        ("a?q=1/../2#f/../g", "/f/", "/f/a?q=1/../2#f/../g"),
        ("a%20b", "/base%20folder/", "/base folder/a b"), ("a b", "/base folder/", "/base folder/a b"),
        ("100%", "/", "/100%"), ("100%25", "/", "/100%"), ("%zz", "/", "/%zz"), ("a%2Fb", "/", "/a/b"),
        ("%2e%2e/%2e%2e/a", "/x/y", "/a"), ("caf%C3%A9", "/", "/café"), ("%FF", "/", "/%FF"),
    ]

    @Test("An HREF has a decoded form", arguments: resolved.indices)
    func string(_ index: Int) {
        let (href, base, wanted) = Self.resolved[index]
        #expect(HREF(href, relativeTo: base).string == wanted, "\(href) against \(base)")
    }

    @Test(
        "An HREF has an encoded form",
        arguments: [
            ("a b.txt", "/", "/a%20b.txt"), ("café/日", "/", "/caf%C3%A9/%E6%97%A5"),
            ("$&+,:=@", "/", "/$&+,:=@"),
            ("100%25", "/", "/100%25"), ("100%", "/", "/100%25"), ("a%2520b", "/", "/a%2520b"),
            // A name that only looks like a climbing path with a fragment.
            ("..%23/b", "/a/", "/a/..%23/b"), ("..%3Fq", "/", "/..%3Fq"),
            ("a b?q=x y&p=%20#f g", "/", "/a%20b?q=x%20y&p=%20#f%20g"), ("a;b!c", "/", "/a%3Bb%21c"),
            ("http://example.com/a%20b c", "/", "http://example.com/a%20b%20c"),
            ("http://münchen.de:80/ä", "/", "http://xn--mnchen-3ya.de:80/%C3%A4"),
            ("http://u:p@例え.テスト/", "/", "http://u:p@xn--r8jz45g.xn--zckzah/"),
            ("x", "https://bücher.example/f/", "https://xn--bcher-kva.example/f/x"),
            ("mailto:a@b?c", "/", "mailto:a@b?c"),
        ])
    func encoded(_ href: String, _ base: String, _ wanted: String) {
        #expect(HREF(href, relativeTo: base).percentEncodedString == wanted)
    }

    @Test("Hostile texts do not trap", arguments: 0..<100)
    func hostile(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("/..%2e%:#?@ae\u{301}{}é\u{FFFF}[]\\ \0")
        func text() -> String {
            String(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "/"
                })
        }
        for _ in 0..<50 {
            let href = HREF(text(), relativeTo: text())
            #expect(href.isRemote || href.string.hasPrefix("/"))
            #expect(href.percentEncodedString.utf8.allSatisfy { $0 < 0x80 })
        }
    }
}
