import FoundationEssentials
import FormatSamples

@testable import Formats
@testable import JSON

extension FuzzTarget {
    /// JSON: writing and reading again is the identity, strict mode only refuses more, and the outline reader for
    /// sniffing accepts exactly the documents that the parser accepts.
    static let json = FuzzTarget(
        name: "json", longest: 8 << 10,
        run: { data in
            let bytes = [UInt8](data)
            let strict = parsed(bytes, .strict)
            let lenient = parsed(bytes, .lenient)
            expect(strict == nil || strict == lenient, "the rules read two values")
            if let lenient {
                for layout in [JSONValue.Layout.line, .indented] {
                    let again = parsed(Array(lenient.text(layout).utf8), .lenient)
                    expect(again == lenient, "the value changes when written and read")
                }
                _ = (lenient.integer, lenient.double, lenient.strings)
            }
            let document = attempt { () throws(JSONSyntaxError) in try JSONValue(parsingDocument: bytes) }
            var isContainer = false
            switch document {
            case .object?, .array?: isContainer = true
            default: break
            }
            let outline = JSONOutline(document: bytes)
            expect(
                (outline != nil) == isContainer,
                "outline and parser disagree: \(outline != nil) \(isContainer)")
            expect(outline.map { $0.isObject == (document?.object != nil) } ?? true, "the root is another")
        },
        seeds: {
            [
                "{\"a\": [1, -2.5e+3, true, null, \"\\u00e9\\ud83d\\ude00\\n\"], \"a\": {}}", "[[[[]]]]",
                "\u{FEFF}{\"\": 0}", "1E400",
                "{\"metadata\": {\"title\": {\"en\": \"x\"}}, \"@context\": [\"y\"]}",
            ].map { Data($0.utf8) }
                + FormatSample.all.filter { $0.content.first == 0x7B }.map { Data($0.content) }
                + [
                    Data([0xFF, 0xFE, 0x7B, 0, 0x7D, 0]),
                    Data([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B, 0, 0, 0, 0x5D]),
                ]
        })

    private static func parsed(_ bytes: [UInt8], _ rules: JSONRules) -> JSONValue? {
        attempt { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes, rules: rules) }
    }
}
