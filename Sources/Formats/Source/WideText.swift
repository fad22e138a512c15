/// Converts text in UTF-16 and UTF-32 to UTF-8.
enum WideText {
    /// The text after a byte order mark of UTF-16 or UTF-32, in UTF-8; nil if there is no such mark.
    ///
    /// - Parameter orDeclaration: whether `<?` without a mark counts too (XML 1.0, appendix F).
    static func utf8(_ bytes: [UInt8], orDeclaration: Bool = false) -> [UInt8]? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return utf32(bytes.dropFirst(4), bigEndian: false) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return utf32(bytes.dropFirst(4), bigEndian: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), bigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), bigEndian: true) }
        guard orDeclaration else { return nil }
        if bytes.starts(with: [0x3C, 0, 0x3F, 0]) { return utf16(bytes[...], bigEndian: false) }
        if bytes.starts(with: [0, 0x3C, 0, 0x3F]) { return utf16(bytes[...], bigEndian: true) }
        return nil
    }

    /// Whether a byte order mark indicates UTF-16 or UTF-32.
    static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
    }

    /// The text after the mark in UTF-8; nil if it is invalid in the encoding of the mark.
    static func validUTF8(_ bytes: [UInt8]) -> [UInt8]? {
        let text: String?
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            text = valid32(bytes.dropFirst(4), bigEndian: false)
        } else if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            text = valid32(bytes.dropFirst(4), bigEndian: true)
        } else if bytes.count.isMultiple(of: 2) {
            text = String(
                validating: units16(bytes.dropFirst(2), bigEndian: bytes.starts(with: [0xFE])), as: UTF16.self
            )
        } else {
            text = nil
        }
        return text.map { Array($0.utf8) }
    }

    private static func valid32(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> String? {
        bytes.count.isMultiple(of: 4)
            ? String(validating: units32(bytes, bigEndian: bigEndian), as: UTF32.self) : nil
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt8] {
        Array(String(decoding: units16(bytes, bigEndian: bigEndian), as: UTF16.self).utf8)
    }

    private static func utf32(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt8] {
        Array(String(decoding: units32(bytes, bigEndian: bigEndian), as: UTF32.self).utf8)
    }

    /// The complete units of two bytes. A remaining byte is dropped.
    private static func units16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt16] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var position = bytes.startIndex
        while position + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[position]), UInt16(bytes[position + 1]))
            units.append(bigEndian ? first << 8 | second : second << 8 | first)
            position += 2
        }
        return units
    }

    /// The complete units of four bytes.
    private static func units32(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt32] {
        var units: [UInt32] = []
        units.reserveCapacity(bytes.count / 4)
        var position = bytes.startIndex
        while position + 3 < bytes.endIndex {
            var unit: UInt32 = 0
            for index in 0..<4 {
                unit = unit << 8 | UInt32(bytes[position + (bigEndian ? index : 3 - index)])
            }
            units.append(unit)
            position += 4
        }
        return units
    }
}
