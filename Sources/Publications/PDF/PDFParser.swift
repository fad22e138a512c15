import Platform

/// Parses values from bytes of a PDF file.
///
/// It tolerates the same errors as viewers: missing ends, stray words, numbers with two signs. If the bytes end too
/// early, it reports that, so that the caller can try again with more.
struct PDFParser {
    enum Stop: Error {
        /// The bytes end before the value does. It may be readable with more bytes.
        case unfinished
        /// There is no valid value at this position.
        case malformed
        /// The value is nested too deep or has too many parts.
        case tooLarge
    }

    let bytes: [UInt8]
    /// Whether the bytes are complete, so that their end also ends a value.
    let isWhole: Bool
    var position: Int
    private var depthLeft: Int
    private var valuesLeft: Int

    init(_ bytes: [UInt8], at position: Int = 0, isWhole: Bool, limits: PDFLimits = PDFLimits()) {
        self.bytes = bytes
        self.isWhole = isWhole
        self.position = position
        depthLeft = limits.depth
        valuesLeft = limits.values
    }

    /// The byte at the position, without advancing; nil at the end of a complete input.
    mutating func peek() throws(Stop) -> UInt8? {
        if position < bytes.count { return bytes[position] }
        if isWhole { return nil }
        throw .unfinished
    }

    /// Skips white space and comments (ISO 32000-1, 7.2.2 and 7.2.3).
    mutating func skipSpace() throws(Stop) {
        while let byte = try peek() {
            if PDFSyntax.isSpace(byte) {
                position += 1
            } else if byte == UInt8(ascii: "%") {
                while let next = try peek(), next != 0x0A, next != 0x0D { position += 1 }
            } else {
                return
            }
        }
    }

    /// Parses the next value. A whole number may be the beginning of a reference.
    mutating func value() throws(Stop) -> PDFObject {
        try skipSpace()
        guard let byte = try peek() else { throw .unfinished }
        guard valuesLeft > 0 else { throw .tooLarge }
        valuesLeft -= 1
        switch byte {
        case UInt8(ascii: "/"): return .name(try name())
        case UInt8(ascii: "("): return .string(try literalString())
        case UInt8(ascii: "["): return try nested { parser throws(Stop) in try parser.array() }
        case UInt8(ascii: "<"):
            guard position + 1 < bytes.count || isWhole else { throw .unfinished }
            if position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "<") {
                return try nested { parser throws(Stop) in .dictionary(try parser.dictionary()) }
            }
            return .string(try hexadecimalString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return try numberOrReference()
        default:
            switch try word() {
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "null": return .null
            default: throw .malformed
            }
        }
    }

    /// Reads the run of regular characters at the position; empty before a delimiter.
    mutating func word() throws(Stop) -> String {
        let start = position
        while let byte = try peek(), PDFSyntax.isRegular(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a whole number without a sign, such as an object number or an offset.
    mutating func unsigned() throws(Stop) -> Int? {
        try skipSpace()
        let start = position
        var value = 0
        while let byte = try peek(), let digit = PDFSyntax.decimal(byte) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow, product <= Int.max - digit else { throw .malformed }
            value = product + digit
            position += 1
        }
        return position > start ? value : nil
    }

    /// Skips the word if it is at the position, and returns whether it was.
    mutating func skip(_ word: StaticString) throws(Stop) -> Bool {
        let count = word.utf8CodeUnitCount
        if bytes.count - position < count, !isWhole { throw .unfinished }
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    private mutating func nested(
        _ read: (inout PDFParser) throws(Stop) -> PDFObject
    ) throws(Stop) -> PDFObject {
        guard depthLeft > 0 else { throw .tooLarge }
        depthLeft -= 1
        let value = try read(&self)
        depthLeft += 1
        return value
    }

    private mutating func array() throws(Stop) -> PDFObject {
        position += 1
        var values: [PDFObject] = []
        while true {
            try skipSpace()
            guard let byte = try peek() else { return .array(values) }
            if byte == UInt8(ascii: "]") {
                position += 1
                return .array(values)
            }
            let start = position
            do {
                values.append(try value())
            } catch {
                guard case .malformed = error else { throw error }
                // A stray word. `endobj` means that the closing bracket is missing.
                if isEnd(at: start) { return .array(values) }
                if position == start { position += 1 }
            }
        }
    }

    private mutating func dictionary() throws(Stop) -> [String: PDFObject] {
        position += 2
        var entries: [String: PDFObject] = [:]
        while true {
            try skipSpace()
            guard let byte = try peek() else { return entries }
            if byte == UInt8(ascii: ">") {
                position += 1
                if try peek() == UInt8(ascii: ">") { position += 1 }
                return entries
            }
            guard byte == UInt8(ascii: "/") else {
                // Skips a value without a key.
                let start = position
                if isEnd(at: start) { return entries }
                do {
                    _ = try value()
                } catch {
                    guard case .malformed = error else { throw error }
                    if isEnd(at: start) { return entries }
                    if position == start { position += 1 }
                }
                continue
            }
            let key = try name()
            try skipSpace()
            let start = position
            if try peek() == UInt8(ascii: ">") {
                continue
            }
            do {
                entries[key] = try value()
            } catch {
                guard case .malformed = error else { throw error }
                if isEnd(at: start) { return entries }
                if position == start { position += 1 }
            }
        }
    }

    /// Whether the word at `start` can only end an object. If so, moves the position back to it.
    private mutating func isEnd(at start: Int) -> Bool {
        for word in PDFSyntax.endWords where bytes[start...].starts(with: word.utf8) {
            position = start
            return true
        }
        return false
    }

    /// Parses a name from its slash. `#` and two hexadecimal digits represent a byte (ISO 32000-1, 7.3.5).
    private mutating func name() throws(Stop) -> String {
        position += 1
        var name: [UInt8] = []
        while let byte = try peek(), PDFSyntax.isRegular(byte) {
            position += 1
            guard byte == UInt8(ascii: "#") else {
                name.append(byte)
                continue
            }
            if position + 1 >= bytes.count, !isWhole { throw .unfinished }
            if position + 1 < bytes.count, let high = Hex.value(of: bytes[position]),
                let low = Hex.value(of: bytes[position + 1])
            {
                name.append(high << 4 | low)
                position += 2
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

/// Classes of characters (ISO 32000-1, 7.2.2).
enum PDFSyntax {
    /// Words that cannot occur inside a value.
    static let endWords = ["endobj", "endstream", "stream", "startxref", "trailer"]

    /// Whether the byte is NUL, tab, line feed, form feed, carriage return or space.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0x0C || byte == 0
    }

    /// Whether the byte is neither white space nor one of `()<>[]{}/%`.
    static func isRegular(_ byte: UInt8) -> Bool {
        switch byte {
        case 0, 0x09, 0x0A, 0x0C, 0x0D, 0x20: false
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): false
        case UInt8(ascii: "/"), UInt8(ascii: "%"): false
        default: true
        }
    }

    /// The value of a decimal digit; nil for other bytes.
    static func decimal(_ byte: UInt8) -> Int? {
        byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
    }
}
