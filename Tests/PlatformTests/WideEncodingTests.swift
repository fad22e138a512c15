import Platform
import Testing

@Suite("UTF-16 and UTF-32 are decoded in either byte order")
struct WideEncodingTests {
    private static let encodings: [(encoding: WideEncoding, unitSize: Int, isBigEndian: Bool)] = [
        (.utf16LittleEndian, 2, false), (.utf16BigEndian, 2, true), (.utf32LittleEndian, 4, false),
        (.utf32BigEndian, 4, true),
    ]

    private func marked(_ bytes: [UInt8]) -> WideEncoding? { WideEncoding.marked(bytes.span.bytes) }
    private func decode(_ bytes: [UInt8], _ encoding: WideEncoding) -> String {
        encoding.text(bytes.span.bytes)
    }
    private func valid(_ bytes: [UInt8], _ encoding: WideEncoding) -> String? {
        encoding.validText(bytes.span.bytes)
    }
    private func units(_ bytes: [UInt8], _ encoding: WideEncoding) -> [UInt16] {
        encoding.utf16Units(bytes.span.bytes)
    }

    /// The bytes of units.
    private func bytes(_ units: [UInt32], _ unitSize: Int, _ isBigEndian: Bool) -> [UInt8] {
        units.flatMap { unit in
            let bytes = (0..<unitSize).map { UInt8(unit >> (8 * $0) & 0xFF) }
            return isBigEndian ? bytes.reversed() : bytes
        }
    }

    private func units(_ text: String, _ unitSize: Int) -> [UInt32] {
        unitSize == 2 ? text.utf16.map { UInt32($0) } : text.unicodeScalars.map(\.value)
    }

    @Test("Text after its byte order mark is decoded", arguments: encodings)
    func decoded(encoding: WideEncoding, unitSize: Int, isBigEndian: Bool) throws {
        for text in ["", "a", "Łódź 📚"] {
            let bytes = bytes(units("\u{FEFF}" + text, unitSize), unitSize, isBigEndian)
            let found = try #require(marked(bytes))
            #expect(found.unitSize == unitSize)
            let rest = Array(bytes.dropFirst(unitSize))
            #expect(decode(rest, found) == text)
            #expect(valid(rest, found) == text)
            #expect(decode(rest, encoding) == text)
        }
    }

    @Test(
        "Half a pair or half a unit is not valid; otherwise it is replaced or dropped", arguments: encodings)
    func damaged(encoding: WideEncoding, unitSize: Int, isBigEndian: Bool) {
        let half = bytes([0x61, 0xD83D, 0x62], unitSize, isBigEndian)
        #expect(valid(half, encoding) == nil)
        #expect(decode(half, encoding) == "a\u{FFFD}b")
        let cut = Array(bytes([0x61, 0x62], unitSize, isBigEndian).dropLast())
        #expect(valid(cut, encoding) == nil)
        #expect(decode(cut, encoding) == "a")
    }

    @Test(
        "Bytes without a whole mark have none",
        arguments: [
            [], [0xFF], [0xFE], [0, 0, 0xFE], [0, 0, 0xFF, 0xFE], [0xEF, 0xBB, 0xBF], [0x3C, 0, 0x3F, 0],
        ]
            as [[UInt8]])
    func unmarked(bytes: [UInt8]) {
        #expect(marked(bytes) == nil)
    }

    @Test("A mark of UTF-16 before one zero is not that of UTF-32")
    func short() {
        for bytes in [[0xFF, 0xFE], [0xFF, 0xFE, 0], [0xFF, 0xFE, 0, 1]] as [[UInt8]] {
            #expect(marked(bytes)?.unitSize == 2)
        }
    }

    @Test("Units of UTF-16 are given in the byte order of the computer")
    func pairs() {
        let bytes: [UInt8] = [0, 0x1B, 0xD8, 0x3D, 0x41]
        #expect(units(bytes, .utf16BigEndian) == [0x1B, 0xD83D])
        #expect(units(bytes, .utf16LittleEndian) == [0x1B00, 0x3DD8])
    }
}
