import Platform

/// Percent-encoded octets (RFC 3986 section 2.1).
package enum PercentDecoding {
    /// The octets; nil if a percent sign is not followed by two hexadecimal digits.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(Hex.value),
                let low = iterator.next().flatMap(Hex.value)
            else {
                return nil
            }
            result.append(high << 4 | low)
        }
        return result
    }
}
