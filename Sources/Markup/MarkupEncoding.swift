import Platform

/// Determines the encoding of a document (XML 1.0, appendix F).
enum MarkupEncoding {
    /// The text of a document in UTF-16 or UTF-32; nil for an encoding with single-byte units.
    static func textOfWideCharacters(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 4 else { return nil }
        let span = bytes.bytes
        if let encoding = WideEncoding.marked(span) {
            return encoding.text(span.extracting(droppingFirst: encoding.unitSize))
        }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x3C, 0, 0, 0): return WideEncoding.utf32LittleEndian.text(span)
        case (0, 0, 0, 0x3C): return WideEncoding.utf32BigEndian.text(span)
        case (0x3C, 0, _, 0): return WideEncoding.utf16LittleEndian.text(span)
        case (0, 0x3C, 0, _): return WideEncoding.utf16BigEndian.text(span)
        default: return nil
        }
    }

    /// The bytes without a UTF-8 byte-order mark, white space and NUL at the beginning, where XML does not allow
    /// them.
    static func withoutMark(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
        while start < bytes.count, [0, 0x20, 0x09, 0x0A, 0x0D].contains(bytes[start]) { start += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }

    /// The result of checking bytes that should be UTF-8.
    enum Condition {
        /// The bytes are valid UTF-8.
        case sound
        /// The bytes are UTF-8 with some damage. The text has replacement characters for it.
        case damaged(String)
        /// The bytes are in another encoding.
        case another
    }

    /// Checks bytes that should be UTF-8. Damaged UTF-8 still has more multi-byte characters than invalid positions;
    /// text in another encoding has almost none.
    static func condition(of bytes: UnsafeRawBufferPointer) -> Condition {
        let text = String(decoding: bytes, as: UTF8.self)
        var bad = 0
        var good = 0
        for scalar in text.unicodeScalars where scalar.value > 0x7F {
            if scalar == "\u{FFFD}" { bad += 1 } else { good += 1 }
        }
        if bad == 0 { return .sound }
        return good >= bad ? .damaged(text) : .another
    }

    /// Whether the bytes are valid UTF-8. The last character may be truncated.
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for cut in 0...min(3, bytes.count) {
            let part = UnsafeRawBufferPointer(rebasing: bytes.dropLast(cut))
            if String(validating: part, as: UTF8.self) != nil { return true }
        }
        return false
    }

    /// The name in the XML declaration, if it is an encoding that extends ASCII and is not UTF-8.
    ///
    /// Other names are ignored. They are wrong, because a declaration in UTF-16 would not be readable here, or
    /// dangerous, because they could hide markup from code that examines the bytes.
    static func declared(in bytes: UnsafeRawBufferPointer) -> String? {
        let start = bytes.prefix(256)
        guard start.starts(with: Array("<?xml".utf8)),
            let end = start.firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let declaration = String(decoding: start[..<end], as: UTF8.self)
        guard let mark = declaration.firstRange(of: "encoding") else { return nil }
        let quotes: Set<Character> = ["\"", "'"]
        let parts = declaration[mark.upperBound...].split(maxSplits: 2, omittingEmptySubsequences: false) {
            quotes.contains($0)
        }
        guard parts.count == 3 else { return nil }
        return extendingASCII(String(parts[1]))
    }

    /// The encoding that an HTML page names in a `meta` element near its beginning, by the same rules.
    static func declaredByPage(_ bytes: UnsafeRawBufferPointer) -> String? {
        let start = String(decoding: bytes.prefix(2048), as: UTF8.self).lowercased()
        guard let mark = start.firstRange(of: "charset=") else { return nil }
        let name = start[mark.upperBound...].drop { $0 == "\"" || $0 == "'" || $0 == " " }.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
        }
        return extendingASCII(String(name))
    }

    /// The name in upper case, if it is a known encoding that extends ASCII and is not UTF-8.
    static func extendingASCII(_ name: String) -> String? {
        let name = name.uppercased()
        let known = [
            "ISO-8859-", "ISO_8859-", "ISO8859-", "WINDOWS-", "CP12", "LATIN", "KOI8", "SHIFT_JIS",
            "SHIFT-JIS", "SJIS", "EUC-", "GB2312", "GBK", "GB18030", "BIG5", "TIS-620", "MACINTOSH",
            "US-ASCII",
        ]
        return known.contains { name.hasPrefix($0) } && name.utf8.count <= 24 ? name : nil
    }

    /// Decodes bytes in an encoding that extends ASCII, with a replacement character for each invalid byte; nil if
    /// the C library does not support the encoding.
    static func text(of bytes: UnsafeRawBufferPointer, in encoding: String) -> String? {
        // A suffix would change how the C library converts.
        guard encoding.utf8.allSatisfy({ isNameByte($0) }),
            let converter = TextConverter(from: encoding, to: "UTF-8")
        else { return nil }
        return converter.convert(bytes.bytes, .replacing).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
