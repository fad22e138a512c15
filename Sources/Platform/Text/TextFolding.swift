@_spi(_Unicode) import Swift

/// Texts as people compare them, from the tables that Swift's own comparison uses, so that no other has to be loaded.
extension String {
    /// The text in Unicode's normalization form D: each accent a scalar of its own.
    package var decomposed: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfd { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text in Unicode's normalization form C: letters and their accents as one scalar where there is one.
    package var composed: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text without regard to case, accents and width: equal for `Émile`, `EMILE` and `ｅｍｉｌｅ`.
    ///
    /// Only marks that are put over or under letters of any script are accents; vowel signs, which make another word, stay.
    package var folded: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfd where !Self.isAccent(scalar) { scalars.append(Self.ofUsualWidth(scalar)) }
        // A letter such as ß becomes two only in capitals.
        return String(scalars).uppercased().lowercased()
    }

    /// The text with the wide forms of Latin letters and the narrow ones of katakana in their usual width.
    package var ofUsualWidth: String {
        String(UnicodeScalarView(unicodeScalars.map(Self.ofUsualWidth)))
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }

    /// The katakana that have a narrow form, in the order of these forms from U+FF66.
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
