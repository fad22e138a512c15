extension StringProtocol {
    /// The text without unwanted characters at its beginning and end.
    package func trimmed(of isUnwanted: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isUnwanted($0) }),
            let last = lastIndex(where: { !isUnwanted($0) })
        else { return "" }
        return String(self[first...last])
    }

    /// The beginning of the text that has at most this many bytes in UTF-8, in whole characters. If even the first
    /// character is longer, the result ends between its scalars.
    package func prefix(bytes limit: Int) -> SubSequence {
        guard utf8.count > limit else { return self[...] }
        var (end, count) = (startIndex, 0)
        while true {
            let next = index(after: end)
            count += utf8.distance(from: end, to: next)
            guard count <= limit else { break }
            end = next
        }
        guard end == startIndex else { return self[..<end] }
        var scalars = unicodeScalars.startIndex
        count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            scalars = unicodeScalars.index(after: scalars)
        }
        return self[..<scalars]
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character: U+0000 to U+001F or U+007F to U+009F. These are all scalars of
    /// general category Cc, which never changes.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension BinaryInteger {
    /// The decimal digits of a number that is not negative, with leading zeros up to a width.
    package func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
