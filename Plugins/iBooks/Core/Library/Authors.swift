/// Authors as Books keeps them: one text.
enum Authors {
    /// The authors of a text, which are joined with `&` or a semicolon where there are several. A comma may part a family
    /// name from a given one and joins nobody.
    static func split(_ text: String) -> [String] {
        var authors: [String] = []
        for part in text.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
            let name = part.drop { $0.isWhitespace }
            guard let last = name.lastIndex(where: { !$0.isWhitespace }) else { continue }
            authors.append(String(name[...last]))
        }
        return authors
    }

    /// The text of authors.
    static func joined(_ authors: [String]) -> String { authors.joined(separator: " & ") }
}
