import FoundationEssentials
import Platform

/// The first record of a MOBI book: PalmDOC header, MOBI header, EXTH header and full name.
struct MOBIHeader {
    /// The largest number of bytes of the first record that are read.
    static let mostBytes = 256 << 10

    /// The encoding of the texts.
    enum Encoding {
        case windows1252, utf8, unknown
    }

    let encoding: Encoding
    /// Whether the text of the book is DRM-protected. The metadata never is.
    let isProtected: Bool
    /// The full name, which is the title that follows the headers.
    let fullName: ArraySlice<UInt8>?
    /// The Windows language identifier of the book.
    let locale: Int?
    /// The index of the first record that holds an image.
    let firstImage: Int?
    /// The metadata records.
    let extra: EXTHHeader?
    /// The kinds of damage that were found, one sentence each.
    let damages: [String]

    /// Reads a first record. If the record ends early, reads the part that exists.
    init(_ data: Data) {
        let record = BigEndianBytes(data)
        var damages: [String] = []
        isProtected = (record.uint16(12) ?? 0) != 0
        guard record.bytes(16, 4).elementsEqual("MOBI".utf8), let length = record.uint32(20) else {
            (encoding, fullName, locale, firstImage, extra) = (.unknown, nil, nil, nil, nil)
            self.damages = []
            return
        }
        encoding =
            switch record.uint32(28) {
            case 1_252: .windows1252
            case 65_001: .utf8
            default: .unknown
            }
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

    /// Decodes text in the encoding of the book; nil if it is blank.
    func text(_ bytes: ArraySlice<UInt8>) -> String? {
        // Text is often UTF-8 although the header says otherwise; Windows-1252 text is rarely valid UTF-8 by
        // accident.
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? (encoding == .utf8
                ? String(decoding: bytes, as: UTF8.self) : Windows1252.text(bytes.span.bytes))
        return text.withoutControls()
    }
}
