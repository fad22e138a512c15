/// How the letters of a `.bib` file are encoded.
public enum BibTeXEncoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16LE"
    case utf16BigEndian = "UTF-16BE"
    case latin1 = "ISO-8859-1"
    case latin2 = "ISO-8859-2"
    case latin9 = "ISO-8859-15"
    case windows1250 = "Windows-1250"
    case windows1252 = "Windows-1252"
    case macRoman = "macintosh"
    case windows1251 = "Windows-1251"
    case windows1253 = "Windows-1253"
    case windows1254 = "Windows-1254"
    case cyrillic = "ISO-8859-5"
    case greek = "ISO-8859-7"
    case latin5 = "ISO-8859-9"
    case koi8r = "KOI8-R"
    case shiftJIS = "Shift_JIS"
    case eucJP = "EUC-JP"
    case iso2022JP = "ISO-2022-JP"
    case gb18030 = "GB18030"
    case big5 = "Big5"
    case eucKR = "EUC-KR"

    /// The encoding that people, BibDesk or an Internet standard call by this name, in any case; nil for other names.
    ///
    /// BibDesk writes the name in the language of the Mac, so more names than these occur.
    public init?(name: String) {
        let letters = String(
            name.lowercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            })
        switch letters {
        case "utf8", "unicodeutf8", "unicode", "usascii", "ascii", "westernascii", "nonlossyascii":
            self = .utf8
        case "utf16le", "unicodeutf16le", "unicodeutf16littleendian": self = .utf16LittleEndian
        case "utf16be", "utf16", "unicodeutf16", "unicodeutf16be", "unicodeutf16bigendian":
            self = .utf16BigEndian
        case "iso88591", "latin1", "isolatin1", "westernisolatin1", "westerneuropeanisolatin1": self = .latin1
        case "iso88592", "latin2", "isolatin2", "centraleuropeanisolatin2": self = .latin2
        case "iso885915", "latin9", "isolatin9", "westernisolatin9": self = .latin9
        case "windows1250", "cp1250", "windowslatin2", "centraleuropeanwindowslatin2": self = .windows1250
        case "windows1252", "cp1252", "windowslatin1", "westernwindowslatin1": self = .windows1252
        case "macroman", "macintosh", "westernmacosroman", "macosroman": self = .macRoman
        case "windows1251", "cp1251", "cyrillicwindows", "windowscyrillic": self = .windows1251
        case "windows1253", "cp1253", "greekwindows", "windowsgreek": self = .windows1253
        case "windows1254", "cp1254", "turkishwindowslatin5", "windowslatin5": self = .windows1254
        case "iso88595", "cyrillic", "cyrilliciso88595", "isocyrillic": self = .cyrillic
        case "iso88597", "greek", "greekiso88597", "isogreek": self = .greek
        case "iso88599", "latin5", "isolatin5", "turkishisolatin5": self = .latin5
        case "koi8r", "cyrillickoi8r": self = .koi8r
        default:
            guard let multibyte = Self.multibyte(letters) else { return nil }
            self = multibyte
        }
    }

    /// Whether a name is that of an encoding in which other letters than those of Western Europe are written, and which is not read
    /// here. Its letters must not be guessed.
    static func isForeign(_ name: String) -> Bool {
        guard BibTeXEncoding(name: name) == nil else { return false }
        let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return [
            "japanese", "shiftjis", "sjis", "iso2022", "euc", "cp932", "korean", "chinese", "gb18030", "gbk",
            "gb2312",
            "big5", "cyrillic", "koi8", "greek", "hebrew", "arabic", "turkish", "thai", "vietnamese",
            "baltic",
            "windows125", "cp125", "iso8859", "utf16", "utf32",
        ].contains { letters.contains($0) }
    }

    /// The text of bytes. Every byte has a meaning in the encodings of one byte; what is not Unicode is replaced by U+FFFD.
    public func text(_ bytes: some Collection<UInt8>) -> String {
        switch self {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian: return String(decoding: units(bytes), as: UTF16.self)
        case .shiftJIS, .eucJP, .iso2022JP, .gb18030, .big5, .eucKR:
            let bytes = Array(bytes)
            return String(decoding: converted(bytes) ?? bytes, as: UTF8.self)
        default:
            guard let table = Self.tables[self] else { return String(decoding: bytes, as: UTF8.self) }
            var scalars = String.UnicodeScalarView()
            for byte in bytes {
                scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : table.scalars[Int(byte) - 0x80])
            }
            return String(scalars)
        }
    }

    /// The bytes of a text; nil if the encoding lacks one of its letters.
    public func bytes(_ text: String) -> [UInt8]? {
        switch self {
        case .utf8: return Array(text.utf8)
        case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .shiftJIS, .eucJP, .iso2022JP, .gb18030, .big5, .eucKR:
            return converting(Array(text.utf8))
        default:
            guard let table = Self.tables[self] else { return nil }
            // The tables have letters with accents as one scalar.
            var bytes: [UInt8] = []
            for scalar in TextFolding.composed(text).unicodeScalars {
                if scalar.value < 0x80 {
                    bytes.append(UInt8(scalar.value))
                } else if let byte = table.bytes[scalar] {
                    bytes.append(byte)
                } else {
                    return nil
                }
            }
            return bytes
        }
    }

    private func units(_ bytes: some Collection<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        var first: UInt8?
        for byte in bytes {
            guard let one = first else {
                first = byte
                continue
            }
            units.append(
                self == .utf16LittleEndian
                    ? UInt16(byte) << 8 | UInt16(one) : UInt16(one) << 8 | UInt16(byte))
            first = nil
        }
        return units
    }

    /// The upper half of an encoding of one byte, both ways.
    private struct Table {
        let scalars: [Unicode.Scalar]
        let bytes: [Unicode.Scalar: UInt8]

        /// `letters` are those of the last bytes; the bytes before them stand for control characters.
        init(_ letters: String) {
            let known = Array(letters.unicodeScalars)
            let controls = (0x80..<(0x100 - known.count)).compactMap { Unicode.Scalar(UInt32($0)) }
            scalars = controls + known
            bytes = Dictionary(
                zip(scalars, (0x80...0xFF).map { UInt8($0) }), uniquingKeysWith: { first, _ in first })
        }
    }

    private static let tables: [BibTeXEncoding: Table] = {
        let latin1 = String(String.UnicodeScalarView((0xA0...0xFF).compactMap { Unicode.Scalar(UInt32($0)) }))
        let changes: [Unicode.Scalar: Unicode.Scalar] = [
            "¤": "€", "¦": "Š", "¨": "š", "´": "Ž", "¸": "ž", "¼": "Œ", "½": "œ", "¾": "Ÿ",
        ]
        let latin9 = String(String.UnicodeScalarView(latin1.unicodeScalars.map { changes[$0] ?? $0 }))
        let windows = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
        return [
            .latin1: Table(latin1), .latin9: Table(latin9), .windows1252: Table(windows + latin1),
            .latin2: Table(lettersOfLatin2), .windows1250: Table(lettersOfWindows1250),
            .macRoman: Table(lettersOfMacRoman), .windows1251: Table(EncodingLetters.windows1251),
            .windows1253: Table(EncodingLetters.windows1253),
            .windows1254: Table(EncodingLetters.windows1254),
            .cyrillic: Table(EncodingLetters.cyrillic), .greek: Table(EncodingLetters.greek),
            .latin5: Table(EncodingLetters.latin5), .koi8r: Table(EncodingLetters.koi8r),
        ]
    }()
}

/// The letters from 0xA0 on.
private let lettersOfLatin2 =
    "\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"

/// The letters from 0x80 on.
private let lettersOfWindows1250 =
    "€\u{81}‚\u{83}„…†‡\u{88}‰Š‹ŚŤŽŹ\u{90}‘’“”•–—\u{98}™š›śťžź\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż"
    + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"

/// The letters from 0x80 on.
private let lettersOfMacRoman =
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
    + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
