/// The bytes of a token (RFC 9110 section 5.6.2) and their case conversion, independent of the locale.
enum HTTPToken {
    /// Whether a token may contain the byte.
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool {
        // Written out instead of looked up: the compiler turns it into range checks, and no table needs
        // initialization.
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    /// The byte with an ASCII letter converted to lower case.
    @inline(__always)
    static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The byte with an ASCII letter converted to upper case.
    @inline(__always)
    static func raised(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte & 0xDF : byte
    }

    /// Whether the byte is white space in a header: space, tab, or a line end of a folded header.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// The bytes as text, with ASCII letters in lower case.
    static func loweredText(_ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { memory in
            for (place, byte) in zip(memory.indices, bytes) { memory[place] = lowered(byte) }
            return bytes.count
        }
    }

    /// The text with ASCII letters in lower case. Other letters stay unchanged in every locale.
    static func lowered(_ text: String) -> String {
        text.utf8.allSatisfy { lowered($0) == $0 }
            ? text : String(decoding: text.utf8.map(lowered), as: UTF8.self)
    }
}
