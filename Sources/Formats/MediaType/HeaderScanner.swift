/// Reads `value; name=value; name="quoted"` (RFC 9110 section 5.6.6) leniently, byte by byte.
struct HeaderScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// A scanner at the start of `bytes`, which must outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The bytes up to `separator`, a semicolon or the end, without the blanks around them.
    mutating func untilSeparator(_ separator: UInt8?) -> UnsafeBufferPointer<UInt8>.SubSequence {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ";"), bytes[position] != separator {
            position += 1
        }
        return HeaderScanner.trimmed(bytes[start..<position])
    }

    /// Steps over `byte` if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// The next parameter: its name in lower case and its value without quotes; nil at the end.
    ///
    /// Pieces without `=`, and those whose name is empty or no token, are skipped.
    mutating func nextParameter() -> (name: String, value: String)? {
        while position < bytes.count {
            guard take(UInt8(ascii: ";")) else {
                position += 1
                continue
            }
            let name = untilSeparator(UInt8(ascii: "="))
            guard take(UInt8(ascii: "=")) else { continue }
            skipBlanks()
            let value = position < bytes.count && bytes[position] == UInt8(ascii: "\"") ? quoted() : plain()
            guard !name.isEmpty, name.allSatisfy(HTTPToken.contains) else { continue }
            return (HTTPToken.loweredText(name), value)
        }
        return nil
    }

    private mutating func plain() -> String { String(decoding: untilSeparator(nil), as: UTF8.self) }

    /// A quoted string from its opening quote; one that is never closed ends with the text.
    private mutating func quoted() -> String {
        position += 1
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                content.append(bytes[position])
                position += 1
            } else {
                content.append(byte)
            }
        }
        // What stands between the closing quote and the next semicolon belongs to nothing.
        _ = untilSeparator(nil)
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while position < bytes.count, HTTPToken.isBlank(bytes[position]) { position += 1 }
    }

    private static func trimmed(
        _ piece: UnsafeBufferPointer<UInt8>.SubSequence
    ) -> UnsafeBufferPointer<UInt8>.SubSequence {
        var piece = piece
        while let first = piece.first, HTTPToken.isBlank(first) { piece.removeFirst() }
        while let last = piece.last, HTTPToken.isBlank(last) { piece.removeLast() }
        return piece
    }
}
