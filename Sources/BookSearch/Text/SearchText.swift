import Foundation

/// The form in which texts are searched: without case, accents, ligatures and compatible spellings.
public enum SearchText {
    /// Changes whenever `folded` changes; an index of another version is made again.
    public static let version = 1

    /// Letters that Unicode does not take apart into a letter and an accent.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i",
        "ħ": "h",
        "ŧ": "t", "ŋ": "n", "ȷ": "j", "’": "'", "‘": "'", "“": "\"", "”": "\"", "–": "-", "—": "-", "‐": "-",
    ]

    /// The text for the index and for queries. Runs of white space are one space; control characters are none.
    public static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return collapsed(text.lowercased()) }
        let plain = text.precomposedStringWithCompatibilityMapping.lowercased()
        var scalars = String.UnicodeScalarView()
        for scalar in plain.decomposedStringWithCanonicalMapping.unicodeScalars {
            // Accents of Latin, Greek and Cyrillic letters. In other scripts marks make other letters.
            if (0x300...0x36F).contains(scalar.value) { continue }
            if let letters = letters[scalar] {
                scalars.append(contentsOf: letters.unicodeScalars)
            } else {
                scalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
            }
        }
        return collapsed(String(scalars).precomposedStringWithCanonicalMapping)
    }

    private static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
