import Platform

/// The Japanese, Chinese and Korean encodings. Their letters may contain the bytes of braces and backslashes, so a
/// file is converted before it is split.
extension BibTeXEncoding {
    /// The encoding whose name consists of these lower-case letters, without spaces and punctuation.
    static func multibyte(_ letters: String) -> BibTeXEncoding? {
        switch letters {
        case "shiftjis", "sjis", "xsjis", "cp932", "windows31j", "japaneseshiftjis", "japanesewindowsdos":
            .shiftJIS
        case "eucjp", "japaneseeuc", "xeucjp": .eucJP
        case "iso2022jp", "japaneseiso2022jp": .iso2022JP
        case "gb18030", "gbk", "cp936", "gb2312", "euccn", "chinesegb18030", "chinesegbk", "chinesegb2312",
            "simplifiedchinesegb18030", "simplifiedchinesegbk", "simplifiedchinesegb2312",
            "simplifiedchineseeuc", "simplifiedchinesewindowsdos":
            .gb18030
        case "big5", "cp950", "traditionalchinesebig5", "chinesebig5", "traditionalchinesewindowsdos": .big5
        case "euckr", "koreaneuc", "cp949", "koreanwindowsdos", "ksc56011987": .eucKR
        default: nil
        }
    }

    /// Whether a letter takes two or four bytes.
    var isUTF16: Bool { self == .utf16LittleEndian || self == .utf16BigEndian }

    /// Whether every letter takes one byte.
    package var isOneByte: Bool { !isUTF16 && !isMultibyte && self != .utf8 }

    /// Whether it is one of these encodings.
    var isMultibyte: Bool { converterName != nil }

    /// Whether groups use the encoding of the file; with other encodings BibDesk writes them in UTF-8.
    var includesGroups: Bool { self == .shiftJIS || isUTF16 }

    /// Its name in the C library. The Windows encodings include the letters of the older ones.
    private var converterName: String? {
        switch self {
        case .shiftJIS: "CP932"
        case .eucJP: "EUC-JP-MS"
        case .iso2022JP: "ISO-2022-JP"
        case .gb18030: "GB18030"
        case .big5: "CP950"
        case .eucKR: "CP949"
        default: nil
        }
    }

    /// Converts bytes from the encoding to UTF-8; nil if they are invalid. Converting back may give other bytes, so
    /// compare them.
    func converted(_ bytes: [UInt8]) -> [UInt8]? {
        converterName.flatMap { TextConverter(from: $0, to: "UTF-8")?.convert(bytes.span.bytes, .valid) }
    }

    /// Converts UTF-8 to the encoding; nil if it lacks a letter.
    func converting(_ bytes: [UInt8]) -> [UInt8]? {
        converterName.flatMap { TextConverter(from: "UTF-8", to: $0)?.convert(bytes.span.bytes, .valid) }
    }
}
