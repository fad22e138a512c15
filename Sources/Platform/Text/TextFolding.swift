@_spi(_Unicode) import Swift

/// Normalized forms for comparing texts. They use the tables of Swift's own comparison, so no others are loaded.
extension String {
    /// The text in Unicode's normalization form D, where each accent is a separate scalar.
    package var decomposed: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfd { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text in Unicode's normalization form C, where letters and accents are one scalar if one exists.
    package var composed: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text without differences of case, accents and width: equal for `Émile`, `EMILE` and `ｅｍｉｌｅ`.
    ///
    /// Only marks above or below letters of any script count as accents. Vowel signs are kept, because they make a
    /// different word.
    package var folded: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfd where !Self.isAccent(scalar) { scalars.append(Self.ofUsualWidth(scalar)) }
        // A letter such as ß becomes two letters only in upper case.
        return String(scalars).uppercased().lowercased()
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }

    /// The katakana with a narrow form, in the order of the narrow forms from U+FF66.
    private static let katakana = Array(
        "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン".unicodeScalars)

    private static func ofUsualWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
        case 0x3000: " "
        case 0xFF66...0xFF9D: katakana[Int(scalar.value - 0xFF66)]
        case 0xFF9E: "\u{3099}"
        case 0xFF9F: "\u{309A}"
        default: scalar
        }
    }
}
