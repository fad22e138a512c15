/// Names and values of fields, one below the other.
///
/// A value is cut where no honest book is as long; JSON has it whole. On a terminal, what does not fit on a line continues below,
/// beside its name.
enum FieldText {
    /// The most characters of a value.
    static let longest = 1000
    /// The most characters of a description.
    static let longestDescription = 10_000
    /// Cells below which a value is not squeezed beside its name.
    private static let narrowest = 20

    /// The fields that have a value, as lines.
    ///
    /// - Parameters:
    ///   - width: the cells of the terminal; nil: there is none, and each field takes one line.
    ///   - indent: blanks before each name.
    static func lines(_ fields: [(String, String?)], width: Int?, indent: Int = 0) -> String {
        let known = fields.compactMap { name, value in value.map { (name, $0) } }.filter { !$0.1.isEmpty }
        let start = (known.map { $0.0.count }.max() ?? 0) + 2
        let margin = String(repeating: " ", count: indent)
        return known.map { name, value in
            let limit = name == "Description" ? longestDescription : longest
            let text = TerminalText.sanitized(limited(value, to: limit))
            let head = margin + TerminalText.padded(name, to: start, alignment: .left)
            guard let width else { return head + text }
            let pieces = TerminalText.broken(text, to: max(narrowest, width - indent - start))
            let below = "\n" + margin + String(repeating: " ", count: start)
            return head + pieces.joined(separator: below)
        }.joined(separator: "\n")
    }

    /// The text, or its beginning and how long it is.
    static func limited(_ text: String, to limit: Int = longest) -> String {
        // Bytes are counted faster than characters, and there are never fewer.
        guard text.utf8.count > limit else { return text }
        let count = text.count
        guard count > limit else { return text }
        return text.prefix(limit) + "… (\(count) characters)"
    }
}
