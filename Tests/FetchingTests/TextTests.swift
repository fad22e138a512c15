import Fetching
import Foundation
import JSON
import Testing

@Suite("Text is decoded without loss or not at all")
struct TextTests {
    private func text(_ bytes: [UInt8], type: String? = nil, encoding: String.Encoding? = nil) -> Result<
        String, ResourceError
    > {
        BytesResource(link: Link(href: "/t", type: type), bytes: Data(bytes)).readAsString(encoding: encoding)
    }

    @Test("The given encoding is used before the charset of the type, and that before UTF-8")
    func order() throws {
        #expect(try text([0xE9], encoding: .isoLatin1).get() == "é")
        #expect(try text([0xE9], type: "text/plain;charset=UTF-8", encoding: .isoLatin1).get() == "é")
        #expect(try text([0xE9], type: "text/html; charset=\"iso-8859-1\"").get() == "é")
        #expect(try text([0x80], type: "text/html; charset=windows-1252").get() == "€")
        #expect(try text(Array("é".utf8)).get() == "é")
    }

    @Test(
        "Character sets of the C library are known by name",
        arguments: [
            ("koi8-r", [0xF0, 0xD2], "Пр"), ("Shift_JIS", [0x93, 0xFA], "日"), ("gb18030", [0xD6, 0xD0], "中"),
            ("ISO-8859-15", [0xA4], "€"), ("big5", [0xA4, 0xA4], "中"), ("us-ascii", [0x41], "A"),
        ] as [(String, [UInt8], String)])
    func charsets(_ charset: String, _ bytes: [UInt8], _ wanted: String) throws {
        #expect(try text(bytes, type: "text/plain;charset=\(charset)").get() == wanted)
    }

    @Test("A byte order mark is removed, and UTF-16 with one is honoured regardless of the charset")
    func marks() throws {
        for type in [nil, "text/plain;charset=iso-8859-1", "text/plain;charset=utf-8"] {
            #expect(try text([0xEF, 0xBB, 0xBF, 0x61], type: type).get() == "a")
            #expect(try text([0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0x00, 0xDE], type: type).get() == "a😀")
            #expect(try text([0xFE, 0xFF, 0, 0x61], type: type).get() == "a")
        }
        #expect(try text([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], encoding: .utf32).get() == "a")
        #expect(try text([0xFF, 0xFE]).get() == "")
    }

    @Test(
        "Bytes that are not valid are an error",
        arguments: [
            ([0xFF], nil), ([0x61, 0xC3], nil), ([0xFF, 0xFE, 0x61], nil), ([0xE9], "us-ascii"),
            ([0x93], "shift_jis"),
            ([0xC0, 0x80], "utf-8"),
        ] as [([UInt8], String?)])
    func invalid(_ bytes: [UInt8], _ charset: String?) {
        let error = text(bytes, type: charset.map { "text/plain;charset=" + $0 }).error
        #expect(error?.httpStatusCode == 500 && error?.cause != nil)
    }

    @Test("An unknown charset counts as UTF-8", arguments: ["x-nothing", "utf-8//IGNORE", "", "a b", "\"\""])
    func unknown(_ charset: String) throws {
        #expect(try text(Array("é".utf8), type: "text/plain;charset=\(charset)").get() == "é")
        #expect(text([0xE9], type: "text/plain;charset=\(charset)").error != nil)
    }

    @Test("Long texts of other encodings are converted whole")
    func long() throws {
        let bytes = [UInt8](repeating: 0xE9, count: 100_000)
        #expect(
            try text(bytes, type: "text/plain;charset=windows-1252").get()
                == String(repeating: "é", count: 100_000))
    }

    @Test("A text resource is UTF-8, regardless of the charset of its type")
    func stringResource() throws {
        let resource = StringResource(
            link: Link(href: "/t", type: "text/plain;charset=iso-8859-1"), string: "é")
        #expect(try resource.readAsString().get() == "é")
        #expect(try resource.read().get() == Data([0xC3, 0xA9]))
    }

    @Test("JSON is read as JSON, and other text is an error")
    func json() throws {
        let resource = StringResource(link: Link(href: "/t"), string: "{\"a\": [1]}")
        #expect(try resource.readAsJSON().get().object?["a"] == .array([.integer(1)]))
        #expect(
            StringResource(link: Link(href: "/t"), string: "<a/>").readAsJSON().error?.httpStatusCode == 500)
    }
}
