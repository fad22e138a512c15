/// Names and values of fields, one below the other.
///
/// A value is cut at a length that no real book reaches; JSON has the whole value. On a terminal, a value that does
/// not fit on a line continues below, beside its name.
enum FieldText {
    /// The most characters of a value.
    static let longest = 1000
    /// The most characters of a description.
    static let longestDescription = 10_000
    /// A value is never narrower than this many cells beside its name.
    private static let narrowest = 20

    /// The fields that have a value, as lines.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal in cells; nil without a terminal, and then each field takes one line.
    ///   - indent: the number of spaces before each name.
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

    /// The text, or its beginning and its length.
    static func limited(_ text: String, to limit: Int = longest) -> String {
        // Bytes are counted faster than characters, and there are never fewer of them.
        guard text.utf8.count > limit else { return text }
        let count = text.count
        guard count > limit else { return text }
        return text.prefix(limit) + "… (\(count) characters)"
    }
}
