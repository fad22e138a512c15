extension JSONWalker {
    /// Walks over one of the three words.
    mutating func word(_ word: StaticString, _ more: More) throws(Stop) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try take(word.utf8Start[offset], more) else { throw .malformed }
        }
    }

    /// Walks over a number.
    mutating func number(_ more: More) throws(Stop) {
        _ = try take(UInt8(ascii: "-"), more)
        if try take(UInt8(ascii: "0"), more) {
            // Nothing but a fraction or exponent may follow a leading zero; a digit is found by what reads next.
        } else {
            try digits(more)
        }
        if try take(UInt8(ascii: "."), more) { try digits(more) }
        guard let byte = try peek(more), byte | 0x20 == UInt8(ascii: "e") else { return }
        advance()
        if try !take(UInt8(ascii: "+"), more) { _ = try take(UInt8(ascii: "-"), more) }
        try digits(more)
    }

    private mutating func digits(_ more: More) throws(Stop) {
        var found = false
        while let byte = try peek(more), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            advance()
            found = true
        }
        guard found else { throw .malformed }
    }

    /// Walks over a text, giving each byte of its UTF-8 with escapes resolved.
    mutating func text(_ more: More, _ give: (UInt8) -> Void) throws(Stop) {
        guard try take(UInt8(ascii: "\""), more) else { throw .malformed }
        while true {
            guard let byte = try peek(more) else { throw .malformed }
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return
            case UInt8(ascii: "\\"):
                advance()
                for byte in String(try escape(more)).utf8 { give(byte) }
            case ..<0x20: throw .malformed
            case ..<0x80:
                advance()
                give(byte)
            default: try sequence(byte, more, give)
            }
        }
    }

    /// One character of several bytes, checked (Unicode standard, table 3-7).
    private mutating func sequence(_ first: UInt8, _ more: More, _ give: (UInt8) -> Void) throws(Stop) {
        var following: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: following = 1
        case 0xE0: (following, allowed) = (2, 0xA0...0xBF)
        case 0xED: (following, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: following = 2
        case 0xF0: (following, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: following = 3
        case 0xF4: (following, allowed) = (3, 0x80...0x8F)
        default: throw .malformed
        }
        advance()
        give(first)
        while following > 0 {
            guard let byte = try peek(more), allowed.contains(byte) else { throw .malformed }
            advance()
            give(byte)
            allowed = 0x80...0xBF
            following -= 1
        }
    }

    private mutating func escape(_ more: More) throws(Stop) -> Unicode.Scalar {
        guard let byte = try peek(more) else { throw .malformed }
        advance()
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw .malformed
        }
        let first = try hexadecimal(more)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, try take(UInt8(ascii: "\\"), more), try take(UInt8(ascii: "u"), more) else {
            throw .malformed
        }
        let second = try hexadecimal(more)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw .malformed }
        return scalar
    }

    private mutating func hexadecimal(_ more: More) throws(Stop) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek(more) else { throw .malformed }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw .malformed
            }
            advance()
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
