/// Fields with an address or a path, in which BibDesk neither writes nor reads TeX commands.
enum VerbatimField {
    /// Whether a field, named in any case, is one of these.
    static func isVerbatim(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name.hasPrefix("bdsk-")
    }

    private static let names: Set<String> = ["url", "doi", "citeseerurl", "local-url", "file"]

    /// The address in a field: the target of `\href{target}{text}`, the argument of `\url`, or the text itself. Signs
    /// that people escape for TeX, as in `a\_b`, lose the backslash, and braces are removed.
    static func address(_ text: String) -> String {
        var text = Substring(text)
        for command in ["\\href", "\\url"] {
            guard let start = text.firstRange(of: command) else { continue }
            let behind = text[start.upperBound...].drop(while: \.isWhitespace)
            guard let argument = argument(behind) else { continue }
            text = argument
            break
        }
        var result = ""
        var isEscaped = false
        for character in text {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if isEscaped, !"_%#&$~{}".contains(character) { result.append("\\") }
            isEscaped = false
            if character != "{", character != "}" { result.append(character) }
        }
        return TextFolding.trimmed(result)
    }

    /// The identifier in a field `doi`: from its `10.` on, because a label or an address may precede it.
    static func doi(_ text: String) -> String {
        let text = address(text)
        return text.firstRange(of: "10.").map { String(text[$0.lowerBound...]) } ?? text
    }

    /// The text in the braces with which another text begins; nil if there are none or they do not balance.
    private static func argument(_ text: Substring) -> Substring? {
        guard text.first == "{" else { return nil }
        var depth = 0
        for index in text.indices {
            if text[index] == "{" { depth += 1 }
            if text[index] == "}" { depth -= 1 }
            if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
        }
        return nil
    }
}
