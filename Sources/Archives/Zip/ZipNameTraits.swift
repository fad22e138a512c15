/// The properties of a name, determined in one pass over its bytes.
struct ZipNameTraits {
    /// Whether all bytes are below 128.
    private(set) var isASCII = true
    /// Whether it contains a backslash.
    private(set) var hasBackslash = false
    /// Whether it ends with a slash.
    private(set) var isFolder = false
    /// Whether it begins with `./`.
    private(set) var beginsWithDotSlash = false
    /// Whether it begins with a drive letter, as in `C:/`.
    private(set) var hasDrive = false
    /// Whether it is absolute, has a segment `..`, or contains a NUL. Such a name is never looked up.
    private(set) var isUnsafe = false

    /// Determines the properties of a name.
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

/// The default character set of ZIP names (ZIP specification appendix D).
enum CodePage437 {
    /// The characters of the bytes 128 to 255.
    private static let upperHalf: [Unicode.Scalar] = Array(
        """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
        αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """.unicodeScalars)

    /// Converts the bytes to UTF-8.
    static func utf8(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80])
        }
        return Array(String(text).utf8)
    }
}
