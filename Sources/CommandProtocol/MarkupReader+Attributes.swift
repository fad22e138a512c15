extension MarkupReader {
    /// Whether a tag has more than `most` attributes; looked at before parsing, since libxml2 compares each with all others.
    ///
    /// A tag's `=` outside of quotes are counted. What is not well-formed may be counted wrongly; the parser then stops at
    /// the same place.
    static func hasTag(withMoreThan most: Int, attributesIn bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
                index = start + 1
                let rest = bytes[start...]
                let skipped: [(begin: StaticString, end: StaticString)] = [
                    ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"),
                ]
                if let (begin, end) = skipped.first(where: { begins(rest, with: $0.begin) }) {
                    index = start + begin.utf8CodeUnitCount
                    while index < bytes.count, !begins(bytes[index...], with: end) { index += 1 }
                    continue
                }
                var quote: UInt8?
                var count = 0
                while index < bytes.count {
                    let byte = bytes[index]
                    index += 1
                    if let open = quote {
                        if byte == open { quote = nil }
                    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                        quote = byte
                    } else if byte == UInt8(ascii: "=") {
                        count += 1
                        if count > most { return true }
                    } else if byte == UInt8(ascii: ">") {
                        break
                    }
                }
            }
            return false
        }
    }

    private static func begins(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.starts(with: $0) }
    }
}
