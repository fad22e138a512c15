import Platform
import Testing

@Suite("Windows-1252 is decoded")
struct Windows1252Tests {
    private func text(_ bytes: [UInt8]) -> String { Windows1252.text(bytes.span.bytes) }

    @Test("Every byte has the character that the C library knows, or U+FFFD")
    func all() {
        let bytes = (UInt8.min...UInt8.max).map { $0 }
        guard let converter = TextConverter(from: "CP1252", to: "UTF-8") else {
            Issue.record("The C library lacks CP1252.")
            return
        }
        let known = converter.convert(bytes.span.bytes, .replacing)
        #expect(known.map { String(decoding: $0, as: UTF8.self) } == text(bytes))
        #expect(text([]) == "")
    }
}
