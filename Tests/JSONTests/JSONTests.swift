import Testing
import TestSupport

import JSON

@Suite("JSON is read strictly and written back with the same meaning")
struct JSONTests {
    @Test("The order of members, digits of numbers and all kinds of text survive")
    func roundTrip() throws {
        let text = """
            {
              "z": 1.50,
              "a": -0,
              "big": 123456789012345678901234567890,
              "exponent": 1E+2,
              "text": "tab\\t quote\\" slash/ backslash\\\\ bell\\u0007 größer 読書 🎈",
              "nothing": null,
              "list": [
                true,
                false,
                [],
                {}
              ],
              "object": {
                "inner": "x"
              }
            }
            """
        #expect(try JSONValue(parsing: text).text(.indented) == text)
    }

    @Test("The one-line layout has one space after colons and commas")
    func line() throws {
        #expect(try JSONValue(parsing: "{\"a\":[1,2],\"b\":{}}").text() == "{\"a\": [1, 2], \"b\": {}}")
    }

    @Test("Control characters are written as escapes and read back unchanged")
    func steering() throws {
        let value = JSONValue.string("\u{1B}\u{7F}\u{85}\u{9B}\u{A0}\u{2028}\u{202E}\u{2069}é")
        #expect(value.text() == #""\u001b\u007f\u0085\u009b\#u{A0}\u2028\u202e\u2069é""#)
        #expect(try JSONValue(parsing: [UInt8](value.text().utf8)) == value)
    }

    @Test("Escapes are decoded, and surrogate pairs are joined")
    func escapes() throws {
        let value = try JSONValue(parsing: #""\u0041\n\/\ud83c\udf88\u00e9""#)
        #expect(value.string == "A\n/🎈é")
    }

    @Test(
        "A wrong text is reported with line and column",
        arguments: [
            ("", 1, 1, "empty"), ("  \n ", 2, 2, "empty"), ("{", 1, 2, "name"), ("{\"a\" 1}", 1, 6, "colon"),
            ("{\"a\": 1,}", 1, 9, "name"), ("[1 2]", 1, 4, "comma or ]"),
            ("{\"a\": 1 \"b\": 2}", 1, 9, "comma or }"),
            ("{\n  \"ä\": tru\n}", 2, 8, "value"), ("{\r\n\"a\": ?}", 2, 6, "value"),
            ("[\r1,\r x]", 3, 2, "value"),
            ("01", 1, 1, "begin with 0"), ("1.", 1, 3, "digit"), ("-", 1, 2, "digit"), ("1e", 1, 3, "digit"),
            ("\"a", 1, 1, "no end"), ("\"a\nb\"", 1, 3, "line ends"), ("\"\\x\"", 1, 2, "unknown escape"),
            ("\"\\u12G4\"", 1, 6, "hexadecimal"), ("\"\\ud800\"", 1, 2, "surrogate"),
            ("\"\\ud800\\u0041\"", 1, 2, "surrogate"),
            ("\"\\udc00\"", 1, 2, "surrogate"), ("{} x", 1, 4, "after the end"), ("NaN", 1, 1, "value"),
            ("{\"a\": 1,\n \"a\": 2}", 2, 2, "twice"), ("\u{FEFF}[x]", 1, 2, "value"),
            ("[\u{1}]", 1, 2, "value"),
        ])
    func places(text: String, line: Int, column: Int, words: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.subject == "line \(line), column \(column)", "\(text.debugDescription)")
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "") in \(text.debugDescription)")
    }

    @Test("A byte that is not UTF-8 is reported with its place")
    func invalidUTF8() {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: Array("[\n\"ü".utf8) + [0xC3, 0x28])
        }
        #expect(error == JSONSyntaxError("This byte is not UTF-8.", line: 2, column: 3))
    }

    @Test("Nesting is bounded")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try JSONValue(parsing: nested(64))
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(65)) }
        #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: String(repeating: "[", count: 500_000))
        }
    }

    @Test("Names that only Unicode calls equal are different members")
    func names() throws {
        let object = try #require(try JSONValue(parsing: "{\"\u{E9}\": 1, \"e\u{301}\": 2}").object)
        #expect(object["\u{E9}"]?.integer == 1)
        #expect(object["e\u{301}"]?.integer == 2)
    }

    @Test("A text cut at any byte, or with any byte changed, gives a value or an error, never a trap")
    func hostile() throws {
        let bytes = Array(#"{"a": [1, -2.5e+3, true, null], "b\u00e9\ud83c\udf88": {"ü": "x\n"}}"#.utf8)
        for length in bytes.indices {
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(bytes[..<length])) }
        }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            var changed = bytes
            changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(
                in: 0...255, using: &generator)
            // Some changes are harmless. Then writing and reading again must give the same value.
            guard let value = try? JSONValue(parsing: changed) else { continue }
            #expect(try JSONValue(parsing: value.text(.indented)) == value)
        }
    }

    @Test("A number is whole if its value is, and has no double if it is too large")
    func numbers() throws {
        #expect(try JSONValue(parsing: "1e2").integer == 100)
        #expect(try JSONValue(parsing: "2.0").integer == 2)
        #expect(try JSONValue(parsing: "2.5").integer == nil)
        #expect(try JSONValue(parsing: "9223372036854775808").integer == nil)
        #expect(try JSONValue(parsing: "1e999").double == nil)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(3.0)?.literal == "3")
    }
}

@Suite("A long array is written in pieces")
struct LongArrayTests {
    @Test("The pieces are the text of the whole object", arguments: [0, 1, 3])
    func pieces(count: Int) {
        var object = JSONObject()
        object["app \"x\""] = .string("Marvin")
        object["inner"] = .array([.object(JSONObject()), .integer(1)])
        let elements = (0..<count).map { JSONValue.array([.integer(Int64($0)), .string("\n")]) }
        var pieces: [String] = []
        object.write(array: "books", of: elements) { pieces.append($0) }
        var whole = object
        whole["books"] = .array(elements)
        #expect(pieces.joined() == JSONValue.object(whole).text(.indented))
        #expect(pieces.count == count + 1)
    }

    @Test("A text that is made of several pieces is complete") func large() throws {
        let texts = (0..<5000).map { "é\u{301}\u{1F4D6} \($0) \"" }
        let value = JSONValue.array([.texts(texts), .string(String(repeating: "ü", count: 40_000))])
        for layout in [JSONValue.Layout.line, .indented] {
            #expect(try JSONValue(parsing: value.text(layout)) == value)
        }
    }

    @Test("An object without members begins with the array") func alone() {
        var text = ""
        JSONObject().write(array: "books", of: [.null]) { text += $0 }
        #expect(text == "{\n  \"books\": [\n    null\n  ]\n}")
    }

    @Test("Each element can have one line") func lines() throws {
        let element = try JSONValue(parsing: #"{"title": "Emma", "authors": ["Jane Austen"]}"#)
        var text = ""
        JSONObject().write(array: "books", of: [element, .null], .line) { text += $0 }
        #expect(text == "{\n  \"books\": [\n    \(element.text(.line)),\n    null\n  ]\n}")
    }
}
