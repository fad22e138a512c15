extension JSONWalker {
    /// Walks over one of the three words.
    mutating func word(_ word: StaticString) throws(Stop) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try take(word.utf8Start[offset]) else { throw .malformed }
        }
    }

    /// Walks over a number.
    mutating func number() throws(Stop) {
        _ = try take(UInt8(ascii: "-"))
        // A digit after a leading zero is found by whoever reads next: nothing may begin with one there.
        if try !take(UInt8(ascii: "0")) { try digits() }
        if try take(UInt8(ascii: ".")) { try digits() }
        guard let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") else { return }
        advance()
        if try !take(UInt8(ascii: "+")) { _ = try take(UInt8(ascii: "-")) }
        try digits()
    }

    private mutating func digits() throws(Stop) {
        var found = false
        while let byte = try peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            advance()
            found = true
        }
        guard found else { throw .malformed }
    }

    /// The character that an escape stands for, after its backslash.
    mutating func escape() throws(Stop) -> Unicode.Scalar {
        guard let byte = try peek() else { throw .malformed }
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
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, try take(UInt8(ascii: "\\")), try take(UInt8(ascii: "u")) else {
            throw .malformed
        }
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw .malformed }
        return scalar
    }

    private mutating func hexadecimal() throws(Stop) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek() else { throw .malformed }
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
