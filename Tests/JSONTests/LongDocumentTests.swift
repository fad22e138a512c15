import JSON
import Testing

@Suite("Long texts, and objects with many members, are read like short ones")
struct LongDocumentTests {
    @Test("A character is found across the pieces in which a text is looked at, and a wrong byte too")
    func utf8() throws {
        for shift in 0..<6 {
            // Four bytes each, so that some of them cross the end of a piece at every offset.
            let text = String(repeating: "a", count: shift) + String(repeating: "😀", count: 40_000)
            let document = Array("[\"\(text)\"]".utf8)
            #expect(try JSONValue(parsing: document) == .array([.string(text)]))
            for offset in [70_001, 131_071, document.count - 3] {
                var damaged = document
                damaged[offset] = 0xFF
                #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: damaged) }
                damaged = Array(document[..<offset]) + [0x80, 0x80, 0x80, 0x80] + Array(document[offset...])
                #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: damaged) }
            }
        }
    }

    @Test("A repeated name is found in an object of any size", arguments: [2, 15, 16, 17, 40])
    func repeatedNames(_ count: Int) throws {
        for repeated in [0, count / 2, count - 1] {
            let names = (0..<count).map { "n\($0)" } + ["n\(repeated)"]
            let members = names.enumerated().map { "\"\($1)\": \($0)" }
            let text = "{" + members.joined(separator: ", ") + "}"
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
            let object = try #require(try JSONValue(parsing: text, rules: .lenient).object)
            #expect(object.members.count == count)
            #expect(object.members[repeated].value == .integer(Int64(count)))
        }
        // Names that only look equal are different.
        let text = "{\"é\": 1, \"e\u{301}\": 2" + (2..<count).map { ", \"\($0)\": 0" }.joined() + "}"
        #expect(try JSONValue(parsing: text).object?.members.count == count)
    }

    @Test("Escapes can be anywhere in a string")
    func escapes() throws {
        #expect(try JSONValue(parsing: "\"\\n\"") == .string("\n"))
        #expect(try JSONValue(parsing: "\"a\\u00e9b\\\"\\\\c\"") == .string("aéb\"\\c"))
        #expect(try JSONValue(parsing: "\"\\tend\"") == .string("\tend"))
        #expect(try JSONValue(parsing: "\"\"") == .string(""))
    }
}
