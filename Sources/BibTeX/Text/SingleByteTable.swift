import Platform
import Synchronization

/// The upper half of a one-byte encoding, in both directions.
struct SingleByteTable {
    /// The letters for the bytes from 0x80 on.
    let scalars: [Unicode.Scalar]
    /// The byte for each letter.
    let bytes: [Unicode.Scalar: UInt8]

    /// The tables of all one-byte encodings.
    static let tables = Tables()

    /// Tables that are each made on first use. Any thread.
    final class Tables: Sendable {
        private let made = Mutex<[BibTeXEncoding: SingleByteTable]>([:])

        /// The table of an encoding; nil for an encoding that is not one-byte.
        subscript(encoding: BibTeXEncoding) -> SingleByteTable? {
            if let table = made.withLock({ $0[encoding] }) { return table }
            guard let table = SingleByteTable(encoding) else { return nil }
            return made.withLock { tables in
                tables[encoding] = table
                return table
            }
        }
    }

    private init?(_ encoding: BibTeXEncoding) {
        var letters: [Unicode.Scalar?]
        switch encoding {
        case .macRoman: letters = lettersOfMacRoman.unicodeScalars.map { $0 }
        case .latin1: letters = (0x80...0xFF).map { Unicode.Scalar(UInt32($0)) }
        default:
            // The C library may lack the encoding; some systems package most encodings separately.
            guard let name = encoding.singleByteConverterName,
                let converter = TextConverter(from: name, to: "UTF-8")
            else { return nil }
            letters = (0x80...0xFF).map { byte in
                let bytes = [UInt8(byte)]
                return converter.convert(bytes.span.bytes, .valid).flatMap {
                    String(decoding: $0, as: UTF8.self).unicodeScalars.first
                }
            }
        }
        // Apple replaced this character by the euro sign; the C library still has the old one.
        if encoding == .macCyrillic { letters[0x7F] = "€" }
        // A byte without a letter is mapped to a control or private-use character that the encoding lacks, so that it
        // converts back to the same byte.
        scalars = zip(UInt32(0x80)..., letters).map { byte, letter in
            letter ?? Unicode.Scalar(byte < 0xA0 ? byte : 0xF700 + byte) ?? "\u{FFFD}"
        }
        bytes = Dictionary(
            zip(scalars, (0x80...0xFF).map { UInt8($0) }), uniquingKeysWith: { first, _ in first })
    }

    /// Encodes letters; nil if one of them is not in the table.
    func bytes(of letters: String.UnicodeScalarView) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in letters {
            guard let byte = scalar.value < 0x80 ? UInt8(scalar.value) : self.bytes[scalar] else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

extension BibTeXEncoding {
    /// Whether the letters of this one-byte encoding are known; a system's C library may lack some encodings.
    var hasTable: Bool { SingleByteTable.tables[self] != nil }

    /// The name of a one-byte encoding in the C library; nil for other encodings, and for the Mac's, where the C
    /// library has other characters for the increment and Apple's logo.
    fileprivate var singleByteConverterName: String? {
        switch self {
        case .utf8, .utf16LittleEndian, .utf16BigEndian, .macRoman: nil
        case .shiftJIS, .eucJP, .iso2022JP, .gb18030, .big5, .eucKR: nil
        case .windows1250: "CP1250"
        case .windows1251: "CP1251"
        case .windows1252: "CP1252"
        case .windows1253: "CP1253"
        case .windows1254: "CP1254"
        case .windows1255: "CP1255"
        case .windows1256: "CP1256"
        case .windows1257: "CP1257"
        case .thai: "CP874"
        case .macCentralEurope: "MAC-CENTRALEUROPE"
        case .macCyrillic: "MAC-CYRILLIC"
        case .latin1, .latin2, .latin3, .latin4, .latin5, .latin6, .latin7, .latin8, .latin9, .latin10,
            .cyrillic,
            .greek, .arabic, .hebrew, .koi8r, .koi8u:
            rawValue
        }
    }
}

/// The letters for the bytes from 0x80 on.
private let lettersOfMacRoman =
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
    + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
