import FoundationEssentials
import Formats
import Testing

@Suite("The text of a media type is normalised")
struct MediaTypeTextTests {
    @Test("Parameters are sorted by name, without blanks")
    func sorted() throws {
        #expect(MediaType.opds1Entry.string == "application/atom+xml;profile=opds-catalog;type=entry")
        let type = try #require(MediaType("APPLICATION/ATOM+XML;PROFILE=OPDS-CATALOG   ;   a=0"))
        #expect(type.string == "application/atom+xml;a=0;profile=OPDS-CATALOG")
        #expect(type.description == type.string)
    }

    @Test(
        "A value that is not a token is quoted, so that parsing the text gives the same type",
        arguments: [
            ("a/b;x=\"1;2\"", "a/b;x=\"1;2\""),
            ("a/b;x=\"plain\"", "a/b;x=plain"),
            ("a/b;x=", "a/b;x=\"\""),
            ("a/b;x=\"a\\\"b\\\\\"", "a/b;x=\"a\\\"b\\\\\""),
            ("a/b;x=a=b", "a/b;x=\"a=b\""),
            ("a/b;x=\" \"", "a/b;x=\" \""),
            ("a/b;x=é", "a/b;x=\"é\""),
        ])
    func quoted(_ text: String, _ expected: String) throws {
        let type = try #require(MediaType(text))
        #expect(type.string == expected)
        #expect(MediaType(type.string) == type)
        #expect(MediaType(type.string)?.string == type.string)
    }

    @Test("JSON holds the text form, and refuses what is not a media type")
    func coding() throws {
        let types: [MediaType] = [.epub, .opds1Entry]
        let data = try JSONEncoder().encode(types)
        #expect(try JSONDecoder().decode([MediaType].self, from: data) == types)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MediaType].self, from: Data("[\"nothing\"]".utf8))
        }
    }
}

@Suite("The charset of a media type becomes an encoding")
struct MediaTypeCharsetTests {
    @Test(
        "Well-known aliases are replaced, other names are made upper case",
        arguments: [
            ("utf8", "UTF-8"), ("UTF-8", "UTF-8"), ("utf-8", "UTF-8"), ("ascii", "US-ASCII"),
            ("us-ascii", "US-ASCII"), ("ANSI_X3.4-1968", "US-ASCII"), ("latin1", "ISO-8859-1"),
            ("iso8859-1", "ISO-8859-1"), ("ISO_8859-1", "ISO-8859-1"), ("iso-8859-1", "ISO-8859-1"),
            ("windows-1252", "WINDOWS-1252"), ("x-mine", "X-MINE"),
        ])
    func canonical(_ name: String, _ expected: String) {
        #expect(MediaType("text/plain;charset=\(name)")?.parameters["charset"] == expected)
    }

    @Test("The encoding follows, and is nil for an unknown or missing charset")
    func encodings() {
        #expect(MediaType("text/plain;charset=utf8")?.encoding == .utf8)
        #expect(MediaType("text/plain;charset=ascii")?.encoding == .ascii)
        #expect(MediaType("text/plain;charset=latin1")?.encoding == .isoLatin1)
        #expect(MediaType("text/plain;charset=utf-16")?.encoding == .utf16)
        #expect(MediaType("text/plain;charset=nonsense")?.encoding == nil)
        #expect(MediaType("text/plain;charset=")?.encoding == nil)
        #expect(MediaType("text/plain")?.encoding == nil)
    }

    @Test("Spellings of one charset are equal and hash alike")
    func equal() throws {
        let spellings = try ["utf8", "UTF-8", "\"utf-8\""].map {
            try #require(MediaType("text/html;charset=\($0)"))
        }
        #expect(Set(spellings).count == 1)
    }
}
