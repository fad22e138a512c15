import Platform

/// Converts documents in UTF-16 and UTF-32 to UTF-8.
enum WideText {
    /// The markup in UTF-8, if a byte order mark indicates UTF-16 or UTF-32, or if it begins with `<?` in UTF-16 (XML
    /// 1.0, appendix F); nil otherwise. Invalid units are replaced.
    static func markup(_ bytes: [UInt8]) -> [UInt8]? {
        let span = bytes.span.bytes
        if let encoding = WideEncoding.marked(span) {
            return Array(encoding.text(span.extracting(droppingFirst: encoding.unitSize)).utf8)
        }
        if bytes.starts(with: [0x3C, 0, 0x3F, 0]) {
            return Array(WideEncoding.utf16LittleEndian.text(span).utf8)
        }
        if bytes.starts(with: [0, 0x3C, 0, 0x3F]) {
            return Array(WideEncoding.utf16BigEndian.text(span).utf8)
        }
        return nil
    }

    /// Whether a byte order mark indicates UTF-16 or UTF-32.
    static func isMarked(_ bytes: [UInt8]) -> Bool { WideEncoding.marked(bytes.span.bytes) != nil }

    /// The text after the mark in UTF-8; nil if there is no mark or the text is invalid in its encoding.
    static func validUTF8(_ bytes: [UInt8]) -> [UInt8]? {
        let span = bytes.span.bytes
        return WideEncoding.marked(span).flatMap { encoding in
            encoding.validText(span.extracting(droppingFirst: encoding.unitSize)).map { Array($0.utf8) }
        }
    }
}
