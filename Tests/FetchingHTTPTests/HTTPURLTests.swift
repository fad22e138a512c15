import Testing

@testable import Fetching

@Suite("URLs are normalised before they are sent") struct HTTPURLTests {
    @Test(
        "Characters that a URL cannot contain are encoded, and encoded ones stay",
        arguments: [
            ("http://h/a b", "http://h/a%20b"), ("http://h/a%20b", "http://h/a%20b"),
            ("http://h/100%", "http://h/100%25"), ("http://h/%zz", "http://h/%25zz"),
            ("http://h/ü?ö=é", "http://h/%C3%BC?%C3%B6=%C3%A9"), ("HTTP://HoSt:80/X#frag", "http://host/X"),
            ("https://h:443", "https://h/"), ("https://h:8443?q", "https://h:8443/?q"),
            ("http://h/a/./b/../c", "http://h/a/c"), ("http://h/../../x", "http://h/x"),
            ("http://h/a?b=../c", "http://h/a?b=../c"), ("http://h/%2e%2e/x", "http://h/%2e%2e/x"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"), ("http://h/a\nb", "http://h/a%0Ab"),
            ("http://h/$&+,:;=@", "http://h/$&+,:;=@"), ("http://u:p@h/", "http://h/"),
        ])
    func absolute(text: String, expected: String) { #expect(HTTPURL(text)?.string == expected) }

    @Test(
        "Relative references resolve against the base",
        arguments: [
            ("b.mp3", "http://h/dir/b.mp3"), ("/b.mp3", "http://h/b.mp3"), ("../b", "http://h/b"),
            ("", "http://h/dir/m.json?v=1"), ("?x=2", "http://h/dir/m.json?x=2"), ("//o/p", "http://o/p"),
            ("#f", "http://h/dir/m.json?v=1"), ("a b", "http://h/dir/a%20b"), ("https://x/y", "https://x/y"),
            ("./", "http://h/dir/"), ("..", "http://h/"), ("b?c#d", "http://h/dir/b?c"),
        ])
    func relative(text: String, expected: String) {
        #expect(HTTPURL(text, relativeTo: HTTPURL("http://h/dir/m.json?v=1"))?.string == expected)
    }

    @Test(
        "Texts that are not http URLs are refused",
        arguments: [
            "file:///x", "http:x", "mailto:a@b", "x", "http://", "http://h:0/", "http://h:x/", "http://[::1",
            "http://a%20b/", "http://h\\x/",
        ])
    func refused(text: String) { #expect(HTTPURL(text) == nil) }

    @Test("Parameters become query items, sorted and encoded")
    func parameters() {
        let url = HTTPURL("http://h/x?a=1")
        #expect(
            url?.addingQuery(["q": "a b+c,d:e", "b": "ü&="]).string
                == "http://h/x?a=1&b=%C3%BC%26%3D&q=a%20b%2Bc,d:e")
        #expect(url?.addingQuery([:]).string == "http://h/x?a=1")
    }

    @Test(
        "Content-Range is parsed",
        arguments: [
            ("bytes 0-9/100", 0..<10, 100), ("bytes 5-5/*", 5..<6, nil), ("BYTES 0-0/1", 0..<1, 1),
            ("bytes */7", nil, 7),
        ] as [(String, Range<Int64>?, Int64?)])
    func contentRange(text: String, range: Range<Int64>?, total: Int64?) {
        let parsed = ContentRange(text)
        #expect(parsed?.range == range)
        #expect(parsed?.total == total)
        #expect(parsed != nil)
    }

    @Test(
        "A Content-Range that contradicts itself is ignored",
        arguments: [
            "", "bytes", "bytes 9-0/10", "bytes 0-9/5", "bytes */*", "pages 0-1/2",
            "bytes 0-9223372036854775807/*", "bytes -1-2/3", "bytes 0-1", "bytes 0-1/2/3",
            "bytes 99999999999999999999-1/2",
        ])
    func badContentRange(text: String) { #expect(ContentRange(text) == nil) }

    @Test("Names of header fields ignore case, and values of one name are joined except cookies")
    func headers() {
        var headers: HTTPHeaders = [
            "Cache-Control": "no-store", "cache-control": "private", "Set-Cookie": "a=1",
        ]
        headers.add("SET-COOKIE", "b=2")
        #expect(headers["CACHE-CONTROL"] == "no-store, private")
        #expect(headers["set-cookie"] == "a=1")
        #expect(headers.values("Set-Cookie") == ["a=1", "b=2"])
        headers["Cache-control"] = nil
        #expect(headers["Cache-Control"] == nil)
    }
}
