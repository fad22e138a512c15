/// Examines the bytes of a document before they are parsed.
enum MarkupScan {
    /// Whether a tag has more than `most` attributes. Their cost in libxml2 grows with the square of their number.
    ///
    /// Counts each `=` outside of quotes, from a `<` to the first `>` outside of quotes, or to the next `<`, at which
    /// libxml2 always ends an element. The count is therefore never lower than the number of attributes that libxml2
    /// finds. The encoding must be one in which the bytes of these characters never occur in other characters.
    static func hasTag(withMoreThan most: Int, attributesIn bytes: UnsafeRawBufferPointer) -> Bool {
        var isInTag = false
        var quote: UInt8 = 0
        var equals = 0
        for byte in bytes {
            if byte == UInt8(ascii: "<") {
                isInTag = true
                quote = 0
                equals = 0
            } else if !isInTag {
                continue
            } else if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "=") {
                equals += 1
                if equals > most { return true }
            } else if byte == UInt8(ascii: ">") {
                isInTag = false
            }
        }
        return false
    }

    /// The bytes with each `&` that does not begin a reference replaced by `&amp;`. CDATA sections stay unchanged.
    static func withoutBareAmpersands(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var mended: [UInt8] = []
        mended.reserveCapacity(bytes.count + 256)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "<"), begins(bytes, at: index, with: "<![CDATA[") {
                let start = index
                index += 9
                while index < bytes.count, !begins(bytes, at: index, with: "]]>") { index += 1 }
                mended += bytes[start..<index]
                continue
            }
            mended.append(byte)
            index += 1
            if byte == UInt8(ascii: "&"), !beginsReference(bytes, after: index) {
                mended += Array("amp;".utf8)
            }
        }
        return mended
    }

    /// Whether there is a name or number followed by a semicolon at `start`.
    private static func beginsReference(_ bytes: UnsafeRawBufferPointer, after start: Int) -> Bool {
        var index = start
        // No entity name is longer.
        let end = min(bytes.count, start + 40)
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: ";"): return index > start
            case UInt8(ascii: "#") where index == start: break
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: ":"), 0x80...0xFF:
                break
            default: return false
            }
            index += 1
        }
        return false
    }

    private static func begins(_ bytes: UnsafeRawBufferPointer, at index: Int, with text: StaticString)
        -> Bool
    {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return text.withUTF8Buffer { text in
            for offset in 0..<count where text[offset] != bytes[index + offset] { return false }
            return true
        }
    }
}
