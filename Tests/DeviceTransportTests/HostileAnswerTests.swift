import Testing

@testable import DeviceTransport

@Suite("Property lists that would exhaust a parser are refused") struct HostileAnswerTests {
    private func code(_ bytes: [UInt8]) -> TransportError.Code? {
        do throws(TransportError) {
            _ = try DeviceValue(parsing: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    private func xml(_ body: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(body)</plist>".utf8)
    }

    /// A binary list of `count` arrays. Each contains the next one `references` times, and the last is a boolean.
    private func binary(_ count: Int, references: Int) -> [UInt8] {
        func big(_ number: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for index in 0..<count {
            offsets.append(bytes.count)
            if index == count - 1 {
                bytes.append(0x08)
            } else {
                bytes.append(0xA0 | UInt8(references))
                for _ in 0..<references { bytes += big(index + 1, 4) }
            }
        }
        let table = bytes.count
        for offset in offsets { bytes += big(offset, 4) }
        return bytes + [0, 0, 0, 0, 0, 0, 4, 4] + big(count, 8) + big(0, 8) + big(table, 8)
    }

    @Test("A binary list nested a hundred thousand levels is refused")
    func deepBinary() { #expect(code(binary(100_000, references: 1)) == .protocolViolation) }

    @Test("A small binary list that unfolds into billions of values is refused")
    func unfolding() { #expect(code(binary(34, references: 2)) == .protocolViolation) }

    @Test(
        "XML nested a million levels is refused, however its tags are written",
        arguments: [
            ("<array>", "</array>"), ("<array >", "</array >"), ("<dict><key>a</key>", "</dict>"),
            ("<array><!-- </array> -->", "</array>"),
            ("<array><string><![CDATA[</array>]]></string>", "</array>"),
        ])
    func deepXML(_ open: String, _ close: String) {
        let text = String(repeating: open, count: 1_000_000) + String(repeating: close, count: 1_000_000)
        #expect(code(xml(text)) == .protocolViolation)
    }

    @Test("Lists as devices send them, with many containers and a few levels, are read")
    func ordinary() {
        #expect(code(xml("<array>" + String(repeating: "<dict/><array/>", count: 1000) + "</array>")) == nil)
        #expect(
            code(xml("<array>" + String(repeating: "<dict></dict>", count: 1000) + "</array>")) == nil)
        #expect(code(binary(20, references: 1)) == nil)
    }
}
