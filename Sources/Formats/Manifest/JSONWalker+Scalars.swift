import JSON
import Platform

extension JSONWalker {
    /// Skips one of the words `true`, `false` and `null`.
    mutating func word(_ word: StaticString) throws(Stop) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try take(word.utf8Start[offset]) else { throw .malformed }
        }
    }

    /// Skips a number.
    mutating func number() throws(Stop) {
        _ = try take(UInt8(ascii: "-"))
        // A digit after a leading zero fails in the next step, because no token can begin with a digit there.
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

    /// Parses an escape sequence after its backslash and returns its character.
    mutating func escape() throws(Stop) -> Unicode.Scalar {
        guard let byte = try peek() else { throw .malformed }
        advance()
        if let character = JSONEscape.character(of: byte) { return character }
        guard byte == UInt8(ascii: "u") else { throw .malformed }
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, try take(UInt8(ascii: "\\")), try take(UInt8(ascii: "u")) else {
            throw .malformed
        }
        guard let character = JSONEscape.character(high: first, low: try hexadecimal()) else {
            throw .malformed
        }
        return character
    }

    private mutating func hexadecimal() throws(Stop) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek(), let digit = Hex.value(of: byte) else { throw .malformed }
            advance()
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
