/// Parses `value; name=value; name="quoted"` (RFC 9110 section 5.6.6) leniently, byte by byte.
struct HeaderScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// Creates a scanner at the start of `bytes`, which must outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The bytes up to `separator`, a semicolon or the end, without surrounding white space.
    mutating func untilSeparator(_ separator: UInt8?) -> UnsafeBufferPointer<UInt8>.SubSequence {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ";"), bytes[position] != separator {
            position += 1
        }
        return HeaderScanner.trimmed(bytes[start..<position])
    }

    /// Skips `byte` if it is next; returns whether it was.
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// A parameter as written in the text, valid as long as the bytes are.
    struct RawParameter {
        /// The name, in any case.
        let name: UnsafeBufferPointer<UInt8>.SubSequence
        /// The value without surrounding white space, or the part between its quotes.
        let value: UnsafeBufferPointer<UInt8>.SubSequence
        /// Whether the value contains backslash escapes.
        let isQuoted: Bool
    }

    /// The next parameter: its name in lower case and its value without quotes; nil at the end.
    ///
    /// Pieces without `=`, and those without a valid name, are skipped.
    mutating func nextParameter() -> (name: String, value: String)? {
        guard let raw = nextRawParameter() else { return nil }
        return (HTTPToken.loweredText(raw.name), raw.text)
    }

    /// The next parameter, without copying.
    mutating func nextRawParameter() -> RawParameter? {
        while position < bytes.count {
            guard take(UInt8(ascii: ";")) else {
                position += 1
                continue
            }
            let name = untilSeparator(UInt8(ascii: "="))
            guard take(UInt8(ascii: "=")) else { continue }
            skipBlanks()
            let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
            let value = isQuoted ? quoted() : untilSeparator(nil)
            guard !name.isEmpty, name.allSatisfy(HTTPToken.contains) else { continue }
            return RawParameter(name: name, value: value, isQuoted: isQuoted)
        }
        return nil
    }

    /// The content of a quoted string, starting at its opening quote. If the closing quote is missing, it ends with
    /// the text.
    private mutating func quoted() -> UnsafeBufferPointer<UInt8>.SubSequence {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") && position + 1 < bytes.count ? 2 : 1
        }
        let content = bytes[start..<position]
        // Text between the closing quote and the next semicolon is ignored.
        if position < bytes.count { position += 1 }
        _ = untilSeparator(nil)
        return content
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

extension HeaderScanner.RawParameter {
    /// The value as text.
    var text: String {
        guard isQuoted, value.contains(UInt8(ascii: "\\")) else {
            return String(decoding: value, as: UTF8.self)
        }
        var content: [UInt8] = []
        eachByte { byte in
            content.append(byte)
            return true
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Whether the name equals `other`, which is in lower case.
    func isNamed(_ other: [UInt8]) -> Bool {
        name.count == other.count && name.elementsEqual(other) { HTTPToken.lowered($0) == $1 }
    }

    /// Whether the value equals `other`.
    func isValue(_ other: [UInt8]) -> Bool {
        guard isQuoted else { return value.count == other.count && value.elementsEqual(other) }
        var place = 0
        eachByte { byte in
            guard place < other.count, other[place] == byte else {
                place = -1
                return false
            }
            place += 1
            return true
        }
        return place == other.count
    }

    /// Passes the bytes of a quoted value to `body`, with escapes resolved, until it returns false.
    private func eachByte(_ body: (UInt8) -> Bool) {
        var place = value.startIndex
        while place < value.endIndex {
            if value[place] == UInt8(ascii: "\\"), place + 1 < value.endIndex { place += 1 }
            guard body(value[place]) else { return }
            place += 1
        }
    }
}
