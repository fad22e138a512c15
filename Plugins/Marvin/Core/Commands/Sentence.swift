extension String {
    /// What ends a sentence.
    private static let ends: Set<Character> = [".", "!", "?", "…"]

    /// The text as a sentence: it begins with a capital letter and ends with a full stop, unless it ends otherwise already.
    ///
    /// What other layers and Marvin itself say comes in both ways.
    var sentence: String {
        let text = trimmingSpaces
        guard let first = text.first else { return text }
        let capital = text[..<text.index(after: text.startIndex)].uppercased()
        // A word such as "iOS" keeps its own spelling.
        let isSpecial = text.dropFirst().first?.isUppercase ?? false
        let begun = first.isLowercase && !isSpecial ? capital + text.dropFirst() : text
        // A name in brackets may follow a sentence.
        if begun.hasSuffix(")"), let open = begun.lastIndex(of: "(") {
            if let end = String(begun[..<open]).trimmingSpaces.last, Self.ends.contains(end) { return begun }
        }
        // Quotes and brackets may close behind the full stop.
        let last = begun.last { !"\"'”’»)".contains($0) }
        return last.map { Self.ends.contains($0) } ?? false ? begun : begun + "."
    }
}
