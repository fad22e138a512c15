@testable import Formats
import FormatSamples
import JSON
import Testing

@Suite("The outline of a document agrees with the JSON parser")
struct OutlineAgainstParserTests {
    private func parses(_ bytes: [UInt8]) -> Bool {
        do throws(JSONSyntaxError) {
            switch try JSONValue(parsingDocument: bytes) {
            case .object, .array: return true
            default: return false
            }
        } catch {
            return false
        }
    }

    static let documents: [String] =
        FormatSample.all.filter { !$0.isArchive }.map { String(decoding: $0.content, as: UTF8.self) } + [
            "{\"a\": [1, -0, 0.5, 1e9, 1E-9, 1.5e+3, true, false, null, \"\\u00e9\\ud83d\\ude00\\n\"], \"é\": {}}",
            "\u{FEFF} [ ] ", "{\"a\":{\"b\":[{},[],[[]]]}}",
        ]

    @Test(
        "Both accept or both refuse a document that is whole, cut at any length, or has any byte replaced",
        arguments: documents)
    func agreement(_ text: String) {
        let bytes = Array(text.utf8)
        for length in 0...bytes.count {
            let cut = Array(bytes[..<length])
            #expect((JSONOutline(document: cut) != nil) == parses(cut), "cut to \(length)")
        }
        for index in bytes.indices {
            for byte in [0x00, 0x22, 0x2C, 0x30, 0x5C, 0x5D, 0x7D, 0xC3, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = byte
                #expect((JSONOutline(document: damaged) != nil) == parses(damaged), "\(byte) at \(index)")
            }
        }
    }
}
