import Platform

/// Normal forms, in which equal texts have the same letters.
public enum TextFolding {
    /// The text with letters and their accents as one scalar if Unicode has one (NFC).
    public static func composed(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.composed
    }

    /// The same, with compatibility characters replaced by the letters they stand for, such as a ligature by two
    /// letters (NFKC).
    public static func compatible(_ text: String) -> String { text.compatiblyComposed }

    /// The text in lower case and composed form.
    public static func caseless(_ text: String) -> String { composed(text.lowercased()) }

    /// The text with each run of white space as one space, and none at the ends.
    public static func collapsed(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        var isGap = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isGap = true
                continue
            }
            if isGap, !result.isEmpty { result.append(" ") }
            isGap = false
            result.append(scalar)
        }
        return String(result)
    }

    /// The text without white space at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...].unicodeScalars[...]
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        return String(String.UnicodeScalarView(rest))
    }
}
