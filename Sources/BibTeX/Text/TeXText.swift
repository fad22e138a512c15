import Platform

/// Converts between TeX's spelling of letters and plain text.
public enum TeXText {
    /// The text with commands for accents and letters replaced by the letters. Other commands and braces are kept.
    ///
    /// Reads the forms that BibDesk reads, such as `{\"a}` and `{\v s}`, and those that people write, such as `\"{a}`
    /// and `\o rsted`.
    public static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var reader = TeXReader(text)
        return reader.decoded()
    }

    /// The text as a person reads it: letters are decoded; braces, dollar signs and commands are removed; dashes and
    /// quotes are as printed; runs of white space become one space.
    public static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { "\\{}$~-`'".utf8.contains($0) }) else {
            return TextFolding.collapsed(text)
        }
        var reader = TeXReader(
            decoded(text).replacing("^{\\circ}", with: "°").replacing("^\\circ", with: "°"))
        return TextFolding.collapsed(reader.plain())
    }

    /// The form in which texts are compared: decoded, composed, with the signs that BibDesk replaces when it saves a
    /// file in its spelling, and with each run of white space as one space.
    ///
    /// With `keepsLines`, line ends are kept, as in notes and abstracts.
    public static func canonical(_ text: String, keepsLines: Bool = false) -> String {
        let decoded = spelled(TextFolding.composed(decoded(text)))
        guard keepsLines else { return TextFolding.collapsed(decoded) }
        let lines = decoded.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        return TextFolding.trimmed(
            lines.split(separator: "\n", omittingEmptySubsequences: false).map(TextFolding.collapsed)
                .joined(separator: "\n"))
    }

    /// The text with dashes, quotes, ligatures and some signs as BibDesk writes them.
    private static func spelled(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if let spelling = TeXSymbols.spellings[scalar] {
                result += spelling
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text with letters in TeX's spelling, as BibDesk writes them: `ü` becomes `{\"u}`. Letters without a
    /// command are kept.
    public static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var result = ""
        for character in TextFolding.composed(text) {
            result += character.isASCII ? String(character) : command(of: character) ?? String(character)
        }
        return result
    }

    /// The text with TeX's special characters as commands, so that `plain` gives the same text back, with each run of
    /// white space as one space.
    ///
    /// - Parameters:
    ///   - text: the text to escape.
    ///   - isTypeset: whether LaTeX prints the text; then `&`, `%`, `#`, `_` and `^` are escaped, too.
    public static func escaped(_ text: String, isTypeset: Bool = true) -> String {
        guard text.utf8.contains(where: { "\\{}$~-`'&%#_^".utf8.contains($0) }) else { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "{\\textbackslash}".unicodeScalars)
            case "~": result.append(contentsOf: "{\\textasciitilde}".unicodeScalars)
            case "^" where isTypeset: result.append(contentsOf: "{\\textasciicircum}".unicodeScalars)
            case "{", "}", "$":
                result.append("\\")
                result.append(scalar)
            case "&" where isTypeset, "%" where isTypeset, "#" where isTypeset, "_" where isTypeset:
                result.append("\\")
                result.append(scalar)
            case "-", "`", "'":
                // Two in a row would become a longer dash or a quote.
                if previous == scalar { result.append(contentsOf: "{}".unicodeScalars) }
                result.append(scalar)
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }

    private static func command(of character: Character) -> String? {
        if character.unicodeScalars.count == 1, let scalar = character.unicodeScalars.first,
            let command = TeXSymbols.commands[scalar]
        {
            return "{\\\(command)}"
        }
        let parts = Array(String(character).decomposed.unicodeScalars)
        guard parts.count == 2, parts[0].isASCII, let accent = TeXSymbols.accents[parts[1]] else {
            return nil
        }
        let isLetter = accent.first?.isLetter == true
        // Accents above the letter go on the dotless letter.
        let isDotted = (parts[0] == "i" || parts[0] == "j") && !["b", "c", "d", "k"].contains(accent)
        let base = isDotted ? "\\\(parts[0])" : String(parts[0])
        return "{\\\(accent)\(isLetter && !isDotted ? " " : "")\(base)}"
    }
}

/// Reads a text with TeX commands from the left to the right.
private struct TeXReader {
    private let text: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { self.text = Array(text.unicodeScalars) }

    private subscript(place: Int) -> Unicode.Scalar? { place < text.count ? text[place] : nil }

    private func isLetter(_ place: Int) -> Bool {
        guard let scalar = self[place] else { return false }
        return scalar.isASCII && scalar.properties.isAlphabetic
    }

    private func behindSpace(_ place: Int) -> Int {
        var place = place
        while let scalar = self[place], scalar.properties.isWhitespace { place += 1 }
        return place
    }

    /// The command word after the backslash at `place`, and the index after it.
    private func word(_ place: Int) -> (String, end: Int) {
        var end = place + 1
        while isLetter(end) { end += 1 }
        return (String(String.UnicodeScalarView(text[min(place + 1, end)..<end])), end)
    }

    // MARK: letters

    mutating func decoded() -> String {
        var result = String.UnicodeScalarView()
        while let scalar = self[index] {
            if scalar == "{", self[index + 1] == "\\",
                let (letters, end) = letter(index + 1, isInBraces: true),
                self[behindSpace(end)] == "}"
            {
                result.append(contentsOf: letters.unicodeScalars)
                index = behindSpace(end) + 1
            } else if scalar == "\\", let (letters, end) = letter(index, isInBraces: false) {
                result.append(contentsOf: letters.unicodeScalars)
                index = end
            } else {
                result.append(scalar)
                index += 1
                // The character after a backslash does not begin a command itself.
                if scalar == "\\", let next = self[index] {
                    result.append(next)
                    index += 1
                }
            }
        }
        return String(result)
    }

    /// The letters of the command at `place`, and the index after it; nil if it does not stand for letters.
    private func letter(_ place: Int, isInBraces: Bool) -> (String, end: Int)? {
        if let sign = self[place + 1], let mark = TeXSymbols.signAccents[sign] {
            return accented(mark, behindSpace(place + 2))
        }
        let (word, end) = word(place)
        if let mark = TeXSymbols.letterAccents[word] {
            return accented(mark, behindSpace(end))
        }
        guard let text = TeXSymbols.texts[word] else { return nil }
        if isInBraces { return (text, end) }
        if self[end] == "{", self[end + 1] == "}" { return (text, end + 2) }
        // In TeX, white space after a command word only ends the word.
        return (text, behindSpace(end))
    }

    /// The letter at `place`, with or without braces, combined with an accent.
    private func accented(_ mark: Unicode.Scalar, _ place: Int) -> (String, end: Int)? {
        let isInBraces = self[place] == "{"
        let start = isInBraces ? behindSpace(place + 1) : place
        guard var base = self[start] else { return nil }
        var end = start + 1
        if base == "\\" {
            let (word, behind) = word(start)
            guard word == "i" || word == "j", let letter = word.unicodeScalars.first else { return nil }
            base = letter
            end = isInBraces ? behind : behind
        }
        guard base.properties.isAlphabetic else { return nil }
        if isInBraces {
            end = behindSpace(end)
            guard self[end] == "}" else { return nil }
            end += 1
        }
        // BibDesk reads a breve on c as a caron.
        let isCaron = mark == "\u{306}" && (base == "c" || base == "C")
        var letter = String.UnicodeScalarView([base])
        letter.append(isCaron ? "\u{30C}" : mark)
        let composed = TextFolding.composed(String(letter))
        return composed.unicodeScalars.count == 1 ? (composed, end) : nil
    }

    // MARK: plain text

    mutating func plain() -> String {
        var result = String.UnicodeScalarView()
        while let scalar = self[index] {
            switch scalar {
            case "{", "}", "$": index += 1
            case "~":
                result.append(" ")
                index += 1
            case "-" where self[index + 1] == "-":
                let isLong = self[index + 2] == "-"
                result.append(isLong ? "—" : "–")
                index += isLong ? 3 : 2
            case "`" where self[index + 1] == "`":
                result.append("“")
                index += 2
            case "'" where self[index + 1] == "'":
                result.append("”")
                index += 2
            case "\\": takeCommand(into: &result)
            default:
                result.append(scalar)
                index += 1
            }
        }
        return String(result)
    }

    private mutating func takeCommand(into result: inout String.UnicodeScalarView) {
        let (word, end) = word(index)
        if word.isEmpty {
            // `\&` is a character, `\\` a line end, and `\-` and `\/` are typesetting hints.
            if let sign = self[index + 1] {
                switch sign {
                case "\\", " ", ",", ";", ":": result.append(" ")
                case "-", "/", "!", "(", ")", "[", "]": break
                default: result.append(sign)
                }
            }
            index += 2
        } else if word == "href", self[behindSpace(end)] == "{" {
            // The link's target is skipped; its text is kept.
            var depth = 0
            index = behindSpace(end)
            while let scalar = self[index] {
                if scalar == "{" { depth += 1 }
                if scalar == "}" { depth -= 1 }
                index += 1
                if depth == 0 { return }
            }
        } else if let sign = TeXSymbols.signs[word] {
            result.append(contentsOf: sign.unicodeScalars)
            index = self[end] == "{" && self[end + 1] == "}" ? end + 2 : end
        } else if TeXSymbols.fonts.contains(word) {
            index = behindSpace(end)
        } else {
            result.append(contentsOf: word.unicodeScalars)
            index = end
        }
    }
}
