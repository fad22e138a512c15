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

    /// A text that is sorted without its case and accents. Create one for each text before sorting many: a text beyond
    /// ASCII is folded once, and others are not.
    package struct Key: Sendable {
        private let text: String
        private let isFolded: Bool

        /// Creates the key of a text.
        package init(_ text: String) {
            isFolded = !text.utf8.allSatisfy { $0 < 0x80 }
            self.text = isFolded ? text.folded : text
        }

        private var folded: String { isFolded ? text : text.lowercased() }

        /// The same as `compare` of the folded texts.
        package func compare(_ other: Key) -> Int {
            var (one, two) = (text, other.text)
            let byASCII = one.withUTF8 { left in two.withUTF8 { NaturalOrder.compareASCII(left, $0) } }
            return byASCII ?? NaturalOrder.compare(folded, other.folded)
        }
    }

    /// The order of two texts without their case; nil if it depends on a character that is not ASCII.
    private static func compareASCII(
        _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var (left, right) = (one[...], other[...])
        while let first = left.first, let second = right.first {
            guard first < 0x80, second < 0x80 else { return nil }
            if isDigit(first), isDigit(second) {
                let (number, otherNumber) = (takeNumber(&left), takeNumber(&right))
                // A wide digit that follows belongs to the number.
                guard (left.first ?? 0) < 0x80, (right.first ?? 0) < 0x80 else { return nil }
                if number.count != otherNumber.count { return number.count < otherNumber.count ? -1 : 1 }
                if let different = zip(number, otherNumber).first(where: { $0 != $1 }) {
                    return different.0 < different.1 ? -1 : 1
                }
            } else {
                let (letter, otherLetter) = (lowercase(first), lowercase(second))
                if letter != otherLetter { return letter < otherLetter ? -1 : 1 }
                left.removeFirst()
                right.removeFirst()
            }
        }
        // What remains may be accents only.
        guard (left.first ?? right.first ?? 0) < 0x80 else { return nil }
        return left.isEmpty ? (right.isEmpty ? 0 : -1) : 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// Removes all digits at the beginning, and returns them without leading zeros.
    private static func takeNumber(
        _ text: inout Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == 0x30 }
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
