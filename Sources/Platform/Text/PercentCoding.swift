/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
package enum PercentCoding {
    private static let sign = UInt8(ascii: "%")

    /// The decoded bytes; nil if a `%` does not begin an encoded byte.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(text) { _ in nil }
    }

    /// The decoded text; nil if a `%` does not begin an encoded byte, or the bytes are not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(sign) else { return String(text) }
        return bytes(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The decoded text, where a `%` that does not begin an encoded byte is kept; nil if the bytes are not UTF-8.
    package static func lenientlyDecoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(sign) else { return String(text) }
        return decode(text.utf8) { $0 }.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The same, with bytes that are not UTF-8 replaced by U+FFFD.
    package static func decoded(repairing text: some StringProtocol) -> String {
        guard text.utf8.contains(sign) else { return String(text) }
        return decode(text.utf8) { $0 }.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }

    /// The text with every byte encoded that is neither unreserved nor in `kept`.
    ///
    /// - Parameter keepsEncoded: whether a `%` that begins an encoded byte is kept unchanged.
    package static func encoded(
        _ text: some StringProtocol, keeping kept: String = "", keepsEncoded: Bool = false
    ) -> String {
        let kept = Set(kept.utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (place, byte) in bytes.enumerated() {
            let isEncoded = keepsEncoded && byte == sign && encodedByte(bytes[(place + 1)...]) != nil
            if isEncoded || isUnreserved(byte) || kept.contains(byte) {
                result.append(byte)
            } else {
                result.append(sign)
                result += Hex.text(byte, uppercase: true).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with only these bytes encoded.
    package static func encoded(_ text: some StringProtocol, only coded: Set<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if coded.contains(byte) {
                result.append(sign)
                result += Hex.text(byte, uppercase: true).utf8
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with only these encoded bytes decoded, which must be ASCII. Every other `%` is kept.
    package static func decoded(_ text: some StringProtocol, only coded: Set<UInt8>) -> String {
        let bytes = decode(text.utf8, isCoded: coded.contains) { $0 }
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }

    /// Whether a byte is a letter, a digit, `-`, `.`, `_` or `~`.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// The byte that two digits encode; nil if the text does not begin with two digits.
    private static func encodedByte(_ digits: some Collection<UInt8>) -> UInt8? {
        var rest = digits.makeIterator()
        guard let high = rest.next().flatMap(Hex.value), let low = rest.next().flatMap(Hex.value) else {
            return nil
        }
        return high << 4 | low
    }

    /// Decodes the bytes that `isCoded` accepts. `stray` returns what to write for a `%` that does not begin such a
    /// byte; nil ends the decoding.
    private static func decode(
        _ text: some Collection<UInt8>, isCoded: (UInt8) -> Bool = { _ in true }, stray: (UInt8) -> UInt8?
    ) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte != sign {
                result.append(byte)
            } else if let encoded = encodedByte(rest), isCoded(encoded) {
                result.append(encoded)
                rest = rest.dropFirst(2)
            } else {
                guard let byte = stray(byte) else { return nil }
                result.append(byte)
            }
        }
        return result
    }
}
