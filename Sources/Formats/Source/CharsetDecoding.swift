import FoundationEssentials
import Platform

/// Decodes text in any encoding.
enum CharsetDecoding {
    /// Decodes the bytes and removes a byte order mark; nil if they are invalid in the encoding.
    ///
    /// A byte order mark of UTF-8, UTF-16 or UTF-32 overrides `charset`.
    ///
    /// - Parameter charset: an IANA name in upper case; nil for UTF-8.
    static func decode(_ bytes: [UInt8], charset: String?) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: bytes.dropFirst(3), as: UTF8.self)
        }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            return marked(bytes, .utf32)
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return marked(bytes, .utf16)
        }
        switch charset {
        case nil, "UTF-8": return String(validating: bytes, as: UTF8.self)
        case "US-ASCII": return String(validating: bytes, as: Unicode.ASCII.self)
        case "ISO-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .some(let name):
            // The C library supports many charsets that FoundationEssentials does not.
            return TextConverter(from: name, to: "UTF-8")?.convert(bytes.span.bytes, .valid).flatMap {
                String(validating: $0, as: UTF8.self)
            }
        }
    }

    private static func marked(_ bytes: [UInt8], _ encoding: String.Encoding) -> String? {
        guard let text = String(bytes: bytes, encoding: encoding) else { return nil }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
