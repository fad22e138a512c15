import Platform
import Testing

@Suite("Hexadecimal digits are read and written")
struct HexTests {
    @Test("Bytes have two digits each, in either case")
    func bytes() {
        #expect(Hex.text([0x00, 0x0A, 0xF1]) == "000af1")
        #expect(Hex.text([0x00, 0x0A, 0xF1], uppercase: true) == "000AF1")
        #expect(Hex.text([UInt8]()) == "")
    }

    @Test("A number has all its digits, the highest first")
    func numbers() {
        #expect(Hex.text(UInt8(0x7)) == "07")
        #expect(Hex.text(UInt16(0xBE)) == "00be")
        #expect(Hex.text(UInt64(0x1234_5678_9ABC), uppercase: true) == "0000123456789ABC")
    }

    @Test("Every byte is a digit of either case, or none", arguments: UInt8.min...UInt8.max)
    func digits(byte: UInt8) {
        let character = Character(Unicode.Scalar(byte))
        #expect(Hex.value(of: byte).map(Int.init) == (character.isASCII ? character.hexDigitValue : nil))
    }
}
