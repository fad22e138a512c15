import Platform

/// Forms of a text in which equal texts are equal letter by letter.
public enum TextFolding {
    /// Letters and their accents as one scalar where Unicode has it (NFC).
    public static func composed(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.composed
    }

    /// The same, and signs that stand for other letters as these, such as a ligature as two letters (NFKC).
    public static func compatible(_ text: String) -> String { text.compatiblyComposed }

    /// Without difference of case, in composed form.
    public static func caseless(_ text: String) -> String { composed(text.lowercased()) }

    /// Runs of white space as one space, none at the ends.
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
