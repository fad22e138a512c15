import Platform

/// Decodes text strings (ISO 32000-1, 7.9.2.2, and 32000-2 for UTF-8).
enum PDFText {
    /// The longest text that is decoded, in bytes.
    private static let mostBytes = 256 << 10

    /// Decodes a string: UTF-16 or UTF-8 with a byte-order mark, UTF-8 without one, or PDFDocEncoding.
    ///
    /// UTF-8 without a byte-order mark is invalid but common. PDFDocEncoding text with accents is almost never valid
    /// UTF-8.
    static func decode(_ string: [UInt8]) -> String {
        let bytes = string.prefix(mostBytes)
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), .utf16BigEndian) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), .utf16LittleEndian) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(decoding: bytes.dropFirst(3), as: UTF8.self)
        }
        if bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) {
            return text
        }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(scalar(byte)) }
        return String(text)
    }

    /// The text without control characters and without white space at its ends; nil if nothing remains.
    static func clean(_ string: [UInt8]) -> String? { decode(string).withoutControls() }

    /// The text with its lines, which a lone carriage return may end, but without other control characters.
    static func cleanLines(_ string: [UInt8]) -> String? {
        decode(string).replacing("\r\n", with: "\n").withoutControls()
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, _ encoding: WideEncoding) -> String {
        var isLanguage = false
        let units = encoding.utf16Units(bytes.span.bytes).filter { unit in
            // A language code is enclosed by two escape characters.
            if unit == 0x1B { isLanguage.toggle() }
            return unit != 0x1B && !isLanguage
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// A character of PDFDocEncoding (ISO 32000-1, annex D.3).
    private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        switch byte {
        case 0x18...0x1F: accents[Int(byte) - 0x18]
        case 0x80...0x9E: marks[Int(byte) - 0x80]
        case 0xA0: "\u{20AC}"
        case 0x9F, 0xAD: "\u{FFFD}"
        default: Unicode.Scalar(byte)
        }
    }

    private static let accents: [Unicode.Scalar] = [
        "\u{02D8}", "\u{02C7}", "\u{02C6}", "\u{02D9}", "\u{02DD}", "\u{02DB}", "\u{02DA}", "\u{02DC}",
    ]

    private static let marks: [Unicode.Scalar] = [
        "\u{2022}", "\u{2020}", "\u{2021}", "\u{2026}", "\u{2014}", "\u{2013}", "\u{0192}", "\u{2044}",
        "\u{2039}", "\u{203A}", "\u{2212}", "\u{2030}", "\u{201E}", "\u{201C}", "\u{201D}", "\u{2018}",
        "\u{2019}", "\u{201A}", "\u{2122}", "\u{FB01}", "\u{FB02}", "\u{0141}", "\u{0152}", "\u{0160}",
        "\u{0178}", "\u{017D}", "\u{0131}", "\u{0142}", "\u{0153}", "\u{0161}", "\u{017E}",
    ]
}
