import FoundationEssentials

/// Texts of any encoding as strings.
enum TextDecoding {
    /// The text without byte order mark; nil if the bytes are not of the encoding.
    ///
    /// A mark of UTF-8, UTF-16 or UTF-32 overrides `encoding`, which is UTF-8 if nil.
    static func decode(_ bytes: [UInt8], as encoding: String.Encoding?) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: bytes.dropFirst(3), as: UTF8.self)
        }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            return marked(bytes, .utf32)
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return marked(bytes, .utf16)
        }
        guard let encoding, encoding != .utf8 else { return String(validating: bytes, as: UTF8.self) }
        return String(bytes: bytes, encoding: encoding)
    }

    private static func marked(_ bytes: [UInt8], _ encoding: String.Encoding) -> String? {
        guard let text = String(bytes: bytes, encoding: encoding) else { return nil }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
