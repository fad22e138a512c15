/// An order in which numbers are compared by value: `Volume 9` comes before `Volume 10`.
package enum NaturalOrder {
    /// Returns a negative number if `one` comes first, a positive number if `other` does, and 0 if they differ at
    /// most in leading zeros.
    package static func compare(_ one: String, _ other: String) -> Int {
        var (left, right) = (one.unicodeScalars[...], other.unicodeScalars[...])
        while let first = left.first, let second = right.first {
            if isDigit(first), isDigit(second) {
                let order = compare(number: takeNumber(&left), takeNumber(&right))
                if order != 0 { return order }
            } else if first != second {
                return first.value < second.value ? -1 : 1
            } else {
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty ? (right.isEmpty ? 0 : -1) : 1
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// Removes all digits at the beginning, and returns them without leading zeros.
    private static func takeNumber(_ text: inout Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == "0" }
    }

    private static func compare(
        number one: Substring.UnicodeScalarView, _ other: Substring.UnicodeScalarView
    ) -> Int {
        if one.count != other.count { return one.count < other.count ? -1 : 1 }
        return one.elementsEqual(other)
            ? 0 : one.lexicographicallyPrecedes(other) { $0.value < $1.value } ? -1 : 1
    }
}
