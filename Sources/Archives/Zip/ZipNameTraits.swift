/// What one look at the bytes of a name tells.
struct ZipNameTraits {
    /// Only bytes below 128.
    private(set) var isASCII = true
    /// A backslash somewhere.
    private(set) var hasBackslash = false
    /// A slash at the end.
    private(set) var isFolder = false
    /// `./` at the start.
    private(set) var beginsWithDotSlash = false
    /// A drive letter at the start, as in `C:/`.
    private(set) var hasDrive = false
    /// Absolute, with a segment `..`, or with a NUL: such a name is never looked up.
    private(set) var isUnsafe = false

    /// Looks at a name.
    init(_ name: UnsafeRawBufferPointer) {
        var all: UInt8 = 0
        var segment = 0
        var dots = 0
        for byte in name {
            all |= byte
            switch byte {
            case UInt8(ascii: "/"):
                if segment == 2, dots == 2 { isUnsafe = true }
                segment = 0
                dots = 0
                continue
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "\\"): hasBackslash = true
            case 0: isUnsafe = true
            default: break
            }
            segment += 1
        }
        if segment == 2, dots == 2 { isUnsafe = true }
        isASCII = all < 0x80
        guard let first = name.first, let last = name.last else { return }
        isFolder = last == UInt8(ascii: "/")
        if first == UInt8(ascii: "/") { isUnsafe = true }
        beginsWithDotSlash = first == UInt8(ascii: ".") && name.count > 1 && name[1] == UInt8(ascii: "/")
        let letter = first | 0x20
        hasDrive =
            name.count > 1 && name[1] == UInt8(ascii: ":") && letter >= UInt8(ascii: "a")
            && letter <= UInt8(ascii: "z")
    }

    /// Whether the bytes are valid UTF-8.
    static func isUTF8(_ name: UnsafeRawBufferPointer) -> Bool {
        String(validating: name, as: UTF8.self) != nil
    }
}

/// The character set of ZIP names that say nothing else (ZIP specification appendix D).
enum CodePage437 {
    /// The characters of the bytes 128 to 255.
    private static let upperHalf: [Unicode.Scalar] = Array(
        """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
        αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """.unicodeScalars)

    /// The bytes as UTF-8.
    static func utf8(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80])
        }
        return Array(String(text).utf8)
    }
}
