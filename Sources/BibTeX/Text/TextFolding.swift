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

    /// The text with each run of white space that contains a line end as one space, as where a program broke a long
    /// line. Other runs stay: the name of a file may have two spaces in a row.
    static func joiningLines(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
        let lines = text.split(whereSeparator: \.isNewline).map { trimmed($0) }
        return lines.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The letters and digits of the text in ASCII: accents are dropped, special letters replaced by those that they
    /// resemble, and everything else is left out.
    public static func asciiLetters(_ text: String) -> String {
        var result = ""
        for scalar in text.decomposed.unicodeScalars {
            if scalar.isASCII {
                let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                if isLetter { result.unicodeScalars.append(scalar) }
            } else if let letters = plainLetters(scalar) {
                let isCapital = scalar.properties.isUppercase
                result += isCapital ? letters.prefix(1).uppercased() + letters.dropFirst() : letters
            }
        }
        return result
    }

    /// The small letters that replace a letter without an accent, such as `ss` for `ß`; nil for other letters.
    private static func plainLetters(_ scalar: Unicode.Scalar) -> String? {
        let small = scalar.properties.lowercaseMapping.unicodeScalars
        return small.count == 1 ? small.first?.plainLetters : nil
    }

    /// The text without white space at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...].unicodeScalars[...]
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        return String(String.UnicodeScalarView(rest))
    }
}
