/// A look at the bytes of a document before they are given to the parser.
enum MarkupScan {
    /// Whether a tag has more than `most` attributes; their cost in libxml2 grows with the square of their number.
    ///
    /// The `=` outside of quotes are counted from each `<` to the first `>` outside of quotes, or to the next `<`, at
    /// which libxml2 leaves off an element however damaged it is. So what it takes for attributes of one element is
    /// never counted too low. The encoding must be one in which these characters' bytes are never part of others.
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
}
