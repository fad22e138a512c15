import TestSupport
import Testing

@testable import Publications

@Suite("Streams are decoded within bounds")
struct PDFFilterTests {
    private func decode(
        _ name: String, _ bytes: [UInt8], limit: Int = 1_000, _ parameters: [String: Int] = [:]
    ) throws -> PDFFilter.Result {
        try PDFFilter(name: name, parameters: parameters).decode(bytes, limit: limit)
    }

    @Test("Hexadecimal digits are decoded")
    func hexadecimal() throws {
        #expect(try decode("ASCIIHexDecode", Array("48 65 6C6c 6F 7>zz".utf8)).bytes == Array("Hellop".utf8))
        let cut = try decode("AHx", Array("4848484848".utf8), limit: 3)
        #expect(cut.bytes.count == 3 && cut.isTooLarge)
    }

    @Test("Base 85 is decoded")
    func base85() throws {
        #expect(
            try decode("ASCII85Decode", Array("87cURD]i,\"Ebo80~>".utf8)).bytes == Array("Hello World!".utf8))
        #expect(try decode("A85", Array("z87cUR~>".utf8)).bytes == [0, 0, 0, 0] + Array("Hell".utf8))
        #expect(try decode("A85", Array("zzzzzz".utf8), limit: 9).isTooLarge)
        #expect(try decode("A85", Array("uuuuu".utf8)).bytes.count == 4)
    }

    @Test("Run lengths are decoded")
    func runs() throws {
        #expect(
            try decode("RunLengthDecode", [2, 65, 66, 67, 254, 68, 128, 9]).bytes == Array("ABCDDD".utf8))
        #expect(try decode("RL", [5, 65]).isDamaged)
        let cut = try decode("RL", [129, 1, 129, 1], limit: 100)
        #expect(cut.bytes.count == 100 && cut.isTooLarge)
    }

    @Test("LZW is decoded as in the specification's example")
    func lzw() throws {
        let coded: [UInt8] = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01]
        #expect(try decode("LZWDecode", coded).bytes == [45, 45, 45, 45, 45, 65, 45, 45, 45, 66])
        #expect(try decode("LZW", [0xFF, 0xFF, 0xFF]).isDamaged)
    }

    @Test("LZW codes grow to twelve bits at the right places", arguments: [0, 1])
    func longLZW(earlyChange: Int) throws {
        var dice = SeededGenerator(seed: 3)
        let plain = (0..<20_000).map { _ in UInt8.random(in: 0...3, using: &dice) }
        let result = try decode(
            "LZWDecode", Self.lzwCoded(plain, early: earlyChange), limit: 30_000, ["EarlyChange": earlyChange]
        )
        #expect(result.bytes == plain)
    }

    /// A plain encoder, by the description in the specification.
    private static func lzwCoded(_ bytes: [UInt8], early: Int) -> [UInt8] {
        var output: [UInt8] = []
        var (buffer, bits) = (0, 0)
        func put(_ code: Int, _ width: Int) {
            buffer = buffer << width | code
            bits += width
            while bits >= 8 {
                bits -= 8
                output.append(UInt8(buffer >> bits & 0xFF))
            }
            buffer &= 1 << bits - 1
        }
        var table: [[UInt8]: Int] = [:]
        var next = 258
        func width() -> Int {
            next + early > 2_048 ? 12 : next + early > 1_024 ? 11 : next + early > 512 ? 10 : 9
        }
        put(256, 9)
        var current: [UInt8] = []
        func code(_ text: [UInt8]) -> Int { text.count == 1 ? Int(text[0]) : table[text] ?? 0 }
        for byte in bytes {
            let longer = current + [byte]
            if longer.count == 1 || table[longer] != nil {
                current = longer
                continue
            }
            put(code(current), width())
            table[longer] = next
            next += 1
            current = [byte]
            if next == 4_094 {
                put(256, width())
                table = [:]
                next = 258
            }
        }
        put(code(current), width())
        next += 1
        put(257, width())
        put(0, 7)
        return output
    }

    @Test("A damaged compressed stream gives what comes before the damage")
    func damagedFlate() throws {
        var dice = SeededGenerator(seed: 5)
        let plain = (0..<5_000).map { _ in UInt8.random(in: 0...200, using: &dice) }
        let coded = PDFBuilder.deflated(plain)
        let result = try decode("FlateDecode", Array(coded.prefix(coded.count / 2)), limit: 9_000)
        #expect(result.isDamaged)
        #expect(result.bytes.count > 1_000)
        #expect(Array(plain.prefix(result.bytes.count)) == result.bytes)
    }

    @Test("Prediction from the left is undone as in TIFF")
    func tiff() throws {
        let coded = PDFBuilder.deflated([1, 1, 1, 5, 1, 1])
        #expect(try decode("Fl", coded, ["Predictor": 2, "Columns": 3]).bytes == [1, 2, 3, 5, 6, 7])
    }

    @Test(
        "Impossible row parameters are refused",
        arguments: [
            ["Predictor": 15, "Columns": -1], ["Predictor": 15, "Columns": Int.max],
            ["Predictor": 2, "Colors": 0],
            ["Predictor": 12, "BitsPerComponent": 3],
        ])
    func badRows(parameters: [String: Int]) throws {
        #expect(throws: PDFFault.self) {
            try decode("FlateDecode", PDFBuilder.deflated([1, 2, 3]), parameters)
        }
    }

    @Test("An unknown coding is refused by name")
    func unknown() throws {
        let error = #expect(throws: PDFFault.self) { try decode("JBIG2Decode", []) }
        #expect(error?.message.contains("JBIG2Decode") == true)
    }
}
