/// The classes of bytes that BibTeX's grammar distinguishes.
enum BibTeXBytes {
    static let at = UInt8(ascii: "@")
    static let percent = UInt8(ascii: "%")
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let hash = UInt8(ascii: "#")
    static let quote = UInt8(ascii: "\"")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openParenthesis = UInt8(ascii: "(")
    static let closeParenthesis = UInt8(ascii: ")")

    /// Space, tab and the ends of lines.
    @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }

    /// LF and CR.
    @inline(__always) static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Whether btparse accepts the byte in a name: ASCII letters, digits and some other characters.
    @inline(__always) static func isNameByte(_ byte: UInt8) -> Bool { table[Int(byte)] & 1 != 0 }

    /// Whether BibTeX itself accepts the byte in a name: everything but white space and the characters of the
    /// grammar.
    @inline(__always) static func isWideNameByte(_ byte: UInt8) -> Bool { table[Int(byte)] & 2 != 0 }

    private static let table: [UInt8] = (0...255).map { number in
        let byte = UInt8(truncatingIfNeeded: number)
        let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        let isName = isLetter || isDigit(byte) || "!$&*+-./:;<>?[]^_`|".utf8.contains(byte)
        let isWide = byte > 0x20 && byte != 0x7F && !"\"#%'(),={}@\\~".utf8.contains(byte)
        return (isName ? 1 : 0) | (isWide ? 2 : 0)
    }

    /// The text in lower case, ASCII letters only.
    static func lowered(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
