import FoundationEssentials

/// The first record of a MOBI book: PalmDOC header, MOBI header, EXTH header and full name.
struct MOBIHeader {
    /// The longest first record that is looked at.
    static let mostBytes = 256 << 10

    /// What the texts are written in.
    enum Encoding {
        case windows1252, utf8, unknown
    }

    let encoding: Encoding
    /// Whether the text of the book is protected; metadata never is.
    let isProtected: Bool
    /// The version of the format: 8 for KF8 (AZW3), else lower; nil for a plain PalmDOC text.
    let version: Int?
    /// The title after the headers.
    let fullName: ArraySlice<UInt8>?
    /// A Windows language identifier.
    let locale: Int?
    /// The number of the first record that is an image.
    let firstImage: Int?
    /// The metadata records.
    let extra: EXTHHeader?
    /// What is damaged, one sentence each.
    let damages: [String]

    /// Reads a first record; one that ends early is read as far as it goes.
    init(_ data: Data) {
        let record = BigEndianBytes(data)
        var damages: [String] = []
        isProtected = (record.uint16(12) ?? 0) != 0
        guard record.bytes(16, 4).elementsEqual("MOBI".utf8), let length = record.uint32(20) else {
            (encoding, version, fullName, locale, firstImage, extra) = (.unknown, nil, nil, nil, nil, nil)
            self.damages = []
            return
        }
        encoding =
            switch record.uint32(28) {
            case 1_252: .windows1252
            case 65_001: .utf8
            default: .unknown
            }
        version = record.uint32(36)
        if let offset = record.uint32(84), let count = record.uint32(88), count > 0 {
            let bytes = record.bytes(offset, min(count, 4_096))
            fullName = bytes.isEmpty ? nil : bytes
            if offset + count > record.count { damages.append("The title is outside its record.") }
        } else {
            fullName = nil
        }
        locale = record.uint32(92).flatMap { $0 == 0 ? nil : $0 }
        firstImage = record.uint32(108).flatMap { $0 == 0 || $0 == 0xFFFF_FFFF ? nil : $0 }
        let claimsExtra = (record.uint32(128) ?? 0) & 0x40 != 0
        extra = EXTHHeader(record, at: 16 + length)
        if claimsExtra, extra == nil {
            damages.append("The metadata records are missing.")
        } else if extra?.isDamaged == true {
            damages.append("The metadata records are damaged.")
        }
        self.damages = damages
    }

    /// Text in the encoding of the book; nil if it has only blanks.
    func text(_ bytes: ArraySlice<UInt8>) -> String? {
        // Texts that are UTF-8 against the header's word are common; Windows-1252 that happens to be UTF-8 is not.
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? (encoding == .utf8 ? String(decoding: bytes, as: UTF8.self) : Windows1252.decode(bytes))
        return text.withoutControls()
    }
}
