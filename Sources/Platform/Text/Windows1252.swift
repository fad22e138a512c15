/// The Windows-1252 code page, the encoding of old books and web pages that do not name one.
public enum Windows1252 {
    /// Decodes the bytes. The five bytes without a character become U+FFFD.
    public static func text(_ bytes: RawSpan) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.byteCount + bytes.byteCount / 4)
        bytes.withUnsafeBytes { bytes in
            for byte in bytes {
                switch byte {
                case 0x80...0x9F: result += upper[Int(byte) - 0x80].utf8
                case 0xA0...: result += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
                default: result.append(byte)
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let upper: [Unicode.Scalar] = [
        "\u{20AC}", "\u{FFFD}", "\u{201A}", "\u{0192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{02C6}", "\u{2030}", "\u{0160}", "\u{2039}", "\u{0152}", "\u{FFFD}", "\u{017D}", "\u{FFFD}",
        "\u{FFFD}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{02DC}", "\u{2122}", "\u{0161}", "\u{203A}", "\u{0153}", "\u{FFFD}", "\u{017E}", "\u{0178}",
    ]
}
