import JSON
import Testing

@Suite("Documents from elsewhere are read leniently, and in bounded time")
struct LenientDocumentTests {
    @Test("If a name is repeated, the last value is kept in the first one's place")
    func repeatedNames() throws {
        let value = try JSONValue(parsingDocument: Array(#"{"a": 1, "b": 2, "a": 3}"#.utf8))
        #expect(value.text() == #"{"a": 3, "b": 2}"#)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: #"{"a": 1, "a": 3}"#) }
    }

    @Test("Names that differ only in Unicode normalisation stay apart")
    func normalisation() throws {
        let value = try JSONValue(parsingDocument: Array("{\"\u{E9}\": 1, \"e\u{301}\": 2}".utf8))
        #expect(value.object?.members.count == 2)
    }

    @Test("A byte order mark chooses UTF-16 and UTF-32", arguments: [false, true])
    func unicodeEncodings(bigEndian: Bool) throws {
        let text = "\u{FEFF}{\"title\": \"Δημώδη 📚\"}"
        let sixteen = text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? bytes : bytes.reversed()
        }
        let thirtyTwo = text.unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(scalar.value >> $0 & 0xFF) }
            return bigEndian ? bytes : bytes.reversed()
        }
        for bytes in [sixteen, thirtyTwo] {
            let value = try JSONValue(parsingDocument: bytes)
            #expect(value.object?["title"]?.string == "Δημώδη 📚")
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsingDocument: Array(bytes.dropLast())) }
        }
    }

    @Test("Nesting ends at the depth that the rules allow")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        _ = try JSONValue(parsingDocument: nested(256))
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsingDocument: nested(257)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(65)) }
        #expect(JSONRules(deepest: 100_000, repeatedNames: .refused).deepest == 512)
    }
}
