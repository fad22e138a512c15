import Platform

/// A link to a file in the form of a program other than BibDesk.
public struct ForeignLink: Hashable, Sendable {
    /// The program's name for the file; often empty.
    public let title: String
    /// The path, relative to the `.bib` file or absolute.
    public let path: String
    /// The type that the program states, such as `PDF` or `application/pdf`; often empty.
    public let type: String

    /// Creates a link from its parts, without escapes.
    public init(title: String, path: String, type: String) {
        (self.title, self.path, self.type) = (title, path, type)
    }

    /// The link as JabRef writes it in a field `file`.
    public var written: String {
        [title, path, type].map { part in
            part.map { "\\:;".contains($0) ? "\\\($0)" : String($0) }.joined()
        }.joined(separator: ":")
    }

    /// The links in a field `file`, as JabRef and Zotero (`title:path:type`) and Mendeley (`:path:type`) write it:
    /// items separated by `;`, with backslashes before colons and semicolons in names. A field without colons is a
    /// single path.
    public static func list(_ text: String) -> [ForeignLink] {
        split(text, at: ";").compactMap { item in
            let parts = split(item, at: ":")
            let link: ForeignLink
            switch parts.count {
            case 1: link = ForeignLink(title: "", path: unescaped(item), type: "")
            case 2: link = ForeignLink(title: unescaped(parts[0]), path: unescaped(parts[1]), type: "")
            default:
                // A Windows path has a colon after its drive. `title:C\:\\papers\\x.pdf:PDF` escapes it, but some
                // programs do not.
                let path = parts[1..<(parts.count - 1)].map(unescaped).joined(separator: ":")
                link = ForeignLink(
                    title: unescaped(parts[0]), path: path, type: unescaped(parts[parts.count - 1]))
            }
            return TextFolding.trimmed(link.path).isEmpty ? nil : link
        }
    }

    /// The link in a field `local-url`, as BibDesk wrote it before 2009: a path or a file URL.
    public static func localURL(_ text: String) -> ForeignLink? {
        let text = TextFolding.trimmed(text)
        guard !text.isEmpty else { return nil }
        for prefix in ["file://localhost/", "file:///"] where text.lowercased().hasPrefix(prefix) {
            let path = "/" + PercentCoding.decoded(repairing: text.dropFirst(prefix.count))
            return ForeignLink(title: "", path: path, type: "")
        }
        return text.contains("://") ? nil : ForeignLink(title: "", path: text, type: "")
    }

    /// Splits a text at each separator without a backslash before it; backslashes are kept.
    private static func split(_ text: String, at sign: Character) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if character == sign, !isEscaped {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return parts
    }

    /// The text without the backslashes that escape `:`, `;` and backslashes.
    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                if !":;\\".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return TextFolding.trimmed(isEscaped ? result + "\\" : result)
    }
}
