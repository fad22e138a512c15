import Platform

/// The encoding of a `.bib` file.
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
    case latin3 = "ISO-8859-3"
    case latin4 = "ISO-8859-4"
    case arabic = "ISO-8859-6"
    case hebrew = "ISO-8859-8"
    case latin6 = "ISO-8859-10"
    case latin7 = "ISO-8859-13"
    case latin8 = "ISO-8859-14"
    case latin10 = "ISO-8859-16"
    case windows1255 = "Windows-1255"
    case windows1256 = "Windows-1256"
    case windows1257 = "Windows-1257"
    case thai = "Windows-874"
    case koi8u = "KOI8-U"
    case macCentralEurope = "x-mac-ce"
    case macCyrillic = "x-mac-cyrillic"
    case shiftJIS = "Shift_JIS"
    case eucJP = "EUC-JP"
    case iso2022JP = "ISO-2022-JP"
    case gb18030 = "GB18030"
    case big5 = "Big5"
    case eucKR = "EUC-KR"

    /// The encoding that people, BibDesk or an Internet standard call by this name, in any case; nil for an unknown
    /// name.
    ///
    /// BibDesk writes the name in the Mac's language, so files contain further names.
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
        case "iso88593", "latin3", "isolatin3", "westernisolatin3", "southeuropeanisolatin3": self = .latin3
        case "iso88594", "latin4", "isolatin4", "centraleuropeanisolatin4", "northeuropeanisolatin4":
            self = .latin4
        case "iso88596", "arabic", "arabiciso88596", "isoarabic", "isolatinarabic": self = .arabic
        case "iso88598", "hebrew", "hebrewiso88598", "isohebrew", "isolatinhebrew": self = .hebrew
        case "iso885910", "latin6", "isolatin6", "nordicisolatin6": self = .latin6
        case "iso885913", "latin7", "isolatin7", "balticisolatin7", "balticrimisolatin7": self = .latin7
        case "iso885914", "latin8", "isolatin8", "celticisolatin8": self = .latin8
        case "iso885916", "latin10", "isolatin10", "romanianisolatin10": self = .latin10
        case "windows1255", "cp1255", "hebrewwindows", "windowshebrew": self = .windows1255
        case "windows1256", "cp1256", "arabicwindows", "windowsarabic": self = .windows1256
        case "windows1257", "cp1257", "balticwindows", "windowsbaltic", "windowsbalticrim":
            self = .windows1257
        case "windows874", "cp874", "tis620", "iso885911", "thai", "thaiwindowsdos", "thaiiso885911":
            self = .thai
        case "koi8u", "ukrainiankoi8u", "cyrillickoi8u": self = .koi8u
        case "xmacce", "macce", "macintoshlatin2", "centraleuropeanmacos", "centraleuropeanmac":
            self = .macCentralEurope
        case "xmaccyrillic", "maccyrillic", "cyrillicmacos", "cyrillicmac": self = .macCyrillic
        default:
            if let multibyte = Self.multibyte(letters) {
                self = multibyte
                return
            }
            // The names of the Mac in other languages differ in their beginning, as in "Westlich (ISO Latin 2)".
            guard
                let known = ["isolatin", "windowslatin", "macosroman", "koi8", "iso8859"].first(where: {
                    letters.firstRange(of: $0).map { $0.lowerBound > letters.startIndex } == true
                }), let start = letters.firstRange(of: known)?.lowerBound
            else { return nil }
            self.init(name: String(letters[start...]))
        }
    }

    /// Whether a name is that of an encoding for letters outside Western Europe that this module cannot read. Its
    /// letters must not be guessed.
    static func isForeign(_ name: String) -> Bool {
        guard BibTeXEncoding(name: name) == nil else { return false }
        let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return [
            "japanese", "shiftjis", "sjis", "iso2022", "euc", "cp932", "korean", "chinese", "gb18030", "gbk",
            "gb2312",
            "big5", "cyrillic", "koi8", "greek", "hebrew", "arabic", "turkish", "thai", "vietnamese",
            "baltic",
            "windows125", "cp125", "iso8859", "utf16", "utf32", "nextstep", "dos", "ebcdic", "macos",
        ].contains { letters.contains($0) }
    }

    /// Decodes bytes. In one-byte encodings every byte has a meaning; invalid Unicode becomes U+FFFD.
    public func text(_ bytes: some Collection<UInt8>) -> String {
        switch self {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian: return WideEncoding.utf16LittleEndian.text(Array(bytes).span.bytes)
        case .utf16BigEndian: return WideEncoding.utf16BigEndian.text(Array(bytes).span.bytes)
        case .shiftJIS, .eucJP, .iso2022JP, .gb18030, .big5, .eucKR:
            let bytes = Array(bytes)
            return String(decoding: converted(bytes) ?? bytes, as: UTF8.self)
        default:
            guard let table = SingleByteTable.tables[self] else {
                return String(decoding: bytes, as: UTF8.self)
            }
            var scalars = String.UnicodeScalarView()
            for byte in bytes {
                scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : table.scalars[Int(byte) - 0x80])
            }
            return String(scalars)
        }
    }

    /// Encodes a text; nil if the encoding lacks one of its letters.
    public func bytes(_ text: String) -> [UInt8]? {
        switch self {
        case .utf8: return Array(text.utf8)
        case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .shiftJIS, .eucJP, .iso2022JP, .gb18030, .big5, .eucKR:
            return converting(Array(text.utf8))
        default:
            guard let table = SingleByteTable.tables[self] else { return nil }
            // The tables contain letters with accents as one scalar.
            return table.bytes(of: text.unicodeScalars)
                ?? table.bytes(of: TextFolding.composed(text).unicodeScalars)
        }
    }
}
