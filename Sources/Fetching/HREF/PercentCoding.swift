import Formats
import Platform

/// Percent-encoding of RFC 3986 section 2.1, over UTF-8.
package enum PercentCoding {
    /// The text without percent-encoding; nil if a `%` does not begin an encoded byte, or the bytes are not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        guard let bytes = PercentDecoding.bytes(text.utf8) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text with every byte encoded that is neither unreserved nor among `kept`.
    ///
    /// - Parameter keepsEncoded: whether a `%` that begins an encoded byte stays as it is.
    package static func encoded(
        _ text: some StringProtocol, keeping kept: String = "", keepsEncoded: Bool = false
    ) -> String {
        let kept = Set(kept.utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (place, byte) in bytes.enumerated() {
            let isEncoded =
                keepsEncoded && byte == UInt8(ascii: "%") && place + 2 < bytes.count
                && Hex.value(of: bytes[place + 1]) != nil
                && Hex.value(of: bytes[place + 2]) != nil
            if isEncoded || isUnreserved(byte) || kept.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Letters, digits, `-`, `.`, `_` and `~`.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }
}
