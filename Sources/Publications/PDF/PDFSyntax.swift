/// Classes of characters (ISO 32000-1, 7.2.2).
enum PDFSyntax {
    /// Words that cannot stand inside a value.
    static let endWords = ["endobj", "endstream", "stream", "startxref", "trailer"]

    /// NUL, tab, line feed, form feed, carriage return, space.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0x0C || byte == 0
    }

    /// Neither white space nor one of `()<>[]{}/%`.
    static func isRegular(_ byte: UInt8) -> Bool {
        switch byte {
        case 0, 0x09, 0x0A, 0x0C, 0x0D, 0x20: false
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): false
        case UInt8(ascii: "/"), UInt8(ascii: "%"): false
        default: true
        }
    }

    /// The value of a decimal digit.
    static func decimal(_ byte: UInt8) -> Int? {
        byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
    }
}
