/// Splits lists of people and keywords that a file stores as one text.
enum NameLists {
    private static let most = 256

    /// Splits names of people at `;`, `&`, line breaks and the word "and".
    ///
    /// A comma does not separate names, because "Verne, Jules" is one person, unless the list has the form "A, B, and
    /// C".
    static func people(_ text: String) -> [String] {
        var names: [String] = []
        let isList = text.contains(", and ")
        for part in text.split(whereSeparator: {
            $0 == ";" || $0 == "&" || $0.isNewline || (isList && $0 == ",")
        }) {
            var words: [Substring] = []
            func finish() {
                while let last = words.last, last.hasSuffix(",") {
                    words[words.count - 1] = last.dropLast()
                    if words[words.count - 1].isEmpty { words.removeLast() }
                }
                let name = words.joined(separator: " ")
                if !name.isEmpty, !names.contains(name), names.count < most { names.append(name) }
                words = []
            }
            for word in part.split(whereSeparator: \.isWhitespace).prefix(10_000) {
                if word == "and" { finish() } else { words.append(word) }
            }
            finish()
        }
        return names
    }

    /// Splits keywords at `;`, `,` and line breaks; returns each once.
    static func keywords(_ text: String) -> [String] {
        let hasSemicolons = text.contains(";")
        var words: [String] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0.isNewline || (!hasSemicolons && $0 == ",") })
        {
            guard let word = String(part).collapsingSpace(), !words.contains(word), words.count < most else {
                continue
            }
            words.append(word)
        }
        return words
    }
}
