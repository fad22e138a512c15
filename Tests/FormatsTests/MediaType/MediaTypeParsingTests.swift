import Formats
import Testing

@Suite("Media types are parsed leniently")
struct MediaTypeParsingTests {
    @Test(
        "Texts that are not a media type give nil",
        arguments: [
            "", " ", ";", ";charset=utf-8", "/", "application", "application/", "/zip",
            "application/atom+xml/extra",
            "a//b", "a b/c", "a/b c", "text/html, foo", "text/html,text/plain", "te\u{0}xt/html", "tëxt/html",
            "\"a\"/b", "a/\"b\"", "a /b", "a/ b", "application/;x=1", "a;/b", "(a)/b",
        ])
    func invalid(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test("Type, subtype and names of parameters become lower case, values stay")
    func lowered() throws {
        let type = try #require(MediaType("APPLICATION/ATOM+XML;PROFILE=OPDS-CATALOG   ;   a=0"))
        #expect(type.type == "application")
        #expect(type.subtype == "atom+xml")
        #expect(type.parameters == ["profile": "OPDS-CATALOG", "a": "0"])
    }

    @Test("Lowering is that of ASCII: the Turkish dotless i and the Kelvin sign are not letters of a token")
    func asciiOnly() {
        #expect(MediaType("\u{130}mage/png") == nil)
        #expect(MediaType("\u{212A}/b") == nil)
        #expect(MediaType("IMAGE/GIF")?.string == "image/gif")
    }

    @Test(
        "Parameters are read leniently",
        arguments: [
            ("a/b;x=1;x=2", ["x": "1"]),
            ("a/b;x=\"1;2\"", ["x": "1;2"]),
            ("a/b;charset=\"utf-8\"", ["charset": "UTF-8"]),
            ("a/b;x=1=2", ["x": "1=2"]),
            ("a/b;x", [:]),
            ("a/b;=1", [:]),
            ("a/b;", [:]),
            ("a/b;;;", [:]),
            ("a/b  ;  x = 1", ["x": "1"]),
            ("a/b\t;\r\n x\t=\t1 \r\n", ["x": "1"]),
            ("a/b;x=", ["x": ""]),
            ("a/b;x=\"\"", ["x": ""]),
            ("a/b;x=\"a\\\"b\\\\c\"", ["x": "a\"b\\c"]),
            ("a/b;x=\"never closed; y=1", ["x": "never closed; y=1"]),
            ("a/b;x=\"ends with a backslash\\", ["x": "ends with a backslash\\"]),
            ("a/b;x=\"1\" junk;y=2", ["x": "1", "y": "2"]),
            ("a/b;x y=1;z=2", ["z": "2"]),
            ("a/b;x=\" kept \"", ["x": " kept "]),
            ("a/b;x=a b", ["x": "a b"]),
            ("a/b;X=1;x=2", ["x": "1"]),
            ("a/b;é=1", [:]),
            ("a/b;x=é", ["x": "é"]),
        ] as [(String, [String: String])])
    func parameters(_ text: String, _ expected: [String: String]) throws {
        #expect(try #require(MediaType(text)).parameters == expected)
    }

    @Test("A star is an ordinary type or subtype", arguments: ["*/*", "image/*", "*/jpeg"])
    func wildcards(_ text: String) {
        #expect(MediaType(text)?.string == text)
    }

    @Test("Blanks around the whole are skipped")
    func blanks() {
        #expect(MediaType(" \t application/pdf \r\n") == .pdf)
    }

    @Test("A text of a megabyte is read in one pass")
    func long() throws {
        let many = "a/b" + (0..<100_000).map { ";p\($0)=1" }.joined()
        #expect(try #require(MediaType(many)).parameters.count == 100_000)
        #expect(MediaType(String(repeating: "a", count: 1 << 20)) == nil)
        #expect(MediaType("a/b;" + String(repeating: "\"", count: 1 << 20))?.parameters == [:])
    }

    @Test("Every prefix and every single damaged byte of a rich text is read without a trap")
    func hostile() throws {
        let text = Array("Text/Html ; charset = \"UT\\F8\" ;x=\"a;b\\\"c\"; y==; *; profile=opds".utf8)
        for length in 0...text.count {
            let prefix = String(decoding: text[..<length], as: UTF8.self)
            #expect((MediaType(prefix) == nil) == (length < 6))
        }
        for index in text.indices {
            for byte in [0x00, 0x22, 0x2F, 0x3B, 0x3D, 0x5C, 0x80, 0xFF] as [UInt8] {
                var damaged = text
                damaged[index] = byte
                let type = MediaType(String(decoding: damaged, as: UTF8.self))
                if let type { #expect(MediaType(type.string) == type) }
            }
        }
    }
}
