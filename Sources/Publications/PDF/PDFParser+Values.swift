import Platform

/// Parses numbers, references and strings.
extension PDFParser {
    /// Parses `12`, `-0.5` or `12 0 R`.
    mutating func numberOrReference() throws(Stop) -> PDFObject {
        let number = try number()
        guard case .integer(let first) = number, first >= 0 else { return number }
        let end = position
        do {
            try skipSpace()
            guard let byte = try peek(), PDFSyntax.decimal(byte) != nil, let second = try unsigned() else {
                position = end
                return number
            }
            try skipSpace()
            guard try peek() == UInt8(ascii: "R") else {
                position = end
                return number
            }
            position += 1
            if let next = try peek(), PDFSyntax.isRegular(next) {
                position = end
                return number
            }
            return .reference(PDFReference(number: first, generation: second))
        } catch {
            guard case .malformed = error else { throw error }
            position = end
            return number
        }
    }

    /// Parses a number. If it is too large for `Int`, it becomes a real number. A second sign or point is skipped.
    private mutating func number() throws(Stop) -> PDFObject {
        var isNegative = false
        var isReal = false
        var whole = 0
        var approximation = 0.0
        var unit = 1.0
        var digits = 0
        var overflowed = false
        loop: while let byte = try peek() {
            switch byte {
            case UInt8(ascii: "-"): if digits == 0 { isNegative = true }
            case UInt8(ascii: "+"): break
            case UInt8(ascii: "."): isReal = true
            default:
                guard let digit = PDFSyntax.decimal(byte) else { break loop }
                digits += 1
                if isReal {
                    unit /= 10
                    approximation += Double(digit) * unit
                } else {
                    approximation = approximation * 10 + Double(digit)
                    let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = product.addingReportingOverflow(digit)
                    overflowed = overflowed || overflow || carry
                    whole = sum
                }
            }
            position += 1
        }
        // Most viewers read a number that has only signs and points as zero.
        if isReal || overflowed { return .real(isNegative ? -approximation : approximation) }
        return .integer(isNegative ? 0 &- whole : whole)
    }

    /// Parses a string from its opening parenthesis (ISO 32000-1, 7.3.4.2). The end of the file ends the string.
    mutating func literalString() throws(Stop) -> [UInt8] {
        position += 1
        var string: [UInt8] = []
        var open = 1
        while let byte = try peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "("):
                open += 1
                string.append(byte)
            case UInt8(ascii: ")"):
                open -= 1
                if open == 0 { return string }
                string.append(byte)
            case UInt8(ascii: "\\"):
                try escape(into: &string)
            case 0x0D:
                // All kinds of line ends become a line feed.
                if try peek() == 0x0A { position += 1 }
                string.append(0x0A)
            default:
                string.append(byte)
            }
        }
        return string
    }

    /// Parses the rest of an escape sequence, after the backslash.
    private mutating func escape(into string: inout [UInt8]) throws(Stop) {
        guard let byte = try peek() else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): string.append(0x0A)
        case UInt8(ascii: "r"): string.append(0x0D)
        case UInt8(ascii: "t"): string.append(0x09)
        case UInt8(ascii: "b"): string.append(0x08)
        case UInt8(ascii: "f"): string.append(0x0C)
        case 0x0A: break
        case 0x0D: if try peek() == 0x0A { position += 1 }
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var value = Int(byte) - 0x30
            for _ in 0..<2 {
                guard let next = try peek(), next >= 0x30, next <= 0x37 else { break }
                value = value * 8 + Int(next) - 0x30
                position += 1
            }
            string.append(UInt8(truncatingIfNeeded: value))
        default: string.append(byte)
        }
    }

    /// Parses a string from its opening angle bracket (ISO 32000-1, 7.3.4.3). A missing last digit is zero.
    mutating func hexadecimalString() throws(Stop) -> [UInt8] {
        position += 1
        var string: [UInt8] = []
        var high: UInt8?
        while let byte = try peek() {
            position += 1
            if byte == UInt8(ascii: ">") { break }
            guard let digit = Hex.value(of: byte) else { continue }
            if let first = high {
                string.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if let high { string.append(high << 4) }
        return string
    }
}
