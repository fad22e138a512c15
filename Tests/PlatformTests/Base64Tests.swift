import Foundation
import Platform
import Testing

@Suite("Base64 is encoded and decoded")
struct Base64Tests {
    @Test(
        "The result agrees with Foundation's, padded or not", arguments: Array(0..<70) + [3 << 20, 7_000_001])
    func lengths(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ $0 >> 8 &+ 7) }
        let text = Base64.encode(bytes)
        #expect(text == Array(Data(bytes).base64EncodedData()))
        #expect(Base64.decode(text) == bytes)
        #expect(Base64.decode(text.filter { $0 != UInt8(ascii: "=") }) == bytes)
    }

    @Test("White space may stand anywhere")
    func space() {
        #expect(Base64.decode(" Ym\r\n9v\tay\n8= ".utf8) == Array("book/".utf8))
    }

    @Test(
        "Text that is not Base64 is refused",
        arguments: [
            "A", "A===B", "AAAAA", "?", "AA=A", "AAAA-", "AAA-", "-", "QUJD\u{0}", "QUJ\u{B}D", "QÄ==",
        ])
    func refusals(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
