/// A typed word of a query, separated by white space outside quotes.
struct QueryWord {
    /// The text to look for.
    private(set) var text = ""
    /// The column that was named before it.
    private(set) var column: SearchColumn?
    /// Whether a minus was before it.
    private(set) var isExcluded = false
    /// Whether a part of it was quoted; no character has a special meaning in quotes.
    private var isQuoted = false

    /// Whether it is exactly this operator, unquoted.
    func isOperator(_ word: String) -> Bool { text == word && !isQuoted && !isExcluded && column == nil }

    /// Splits a text into words. A quote that is not closed ends with the text.
    ///
    /// Works on scalars: SQLite treats a quote with a combining accent as a quote, so this must do the same.
    static func words(of text: some Sequence<Unicode.Scalar>) -> [QueryWord] {
        var words: [QueryWord] = []
        var word = QueryWord()
        var letters = String.UnicodeScalarView()
        var isOpen = false
        func end() {
            if !word.isQuoted {
                word.takeMeaning(of: &letters)
                // Words match anywhere, so a sign for the beginning of a word has no effect.
                if letters.count > 3, letters.last == "*" { letters.removeLast() }
            }
            word.text = String(letters)
            if !letters.isEmpty { words.append(word) }
            (word, letters, isOpen) = (QueryWord(), String.UnicodeScalarView(), false)
        }
        for scalar in text {
            if isOpen, scalar != "\"" {
                letters.append(scalar)
            } else if isOpen {
                end()
            } else if scalar == "\"", opens(after: letters) {
                (word.isQuoted, isOpen) = (true, true)
                word.takeMeaning(of: &letters)
            } else if scalar.properties.isWhitespace {
                end()
            } else {
                // A quote inside a word, such as the sign for inches, belongs to the word.
                letters.append(scalar)
            }
        }
        end()
        return words
    }

    /// Whether a quote after these letters begins a quotation.
    private static func opens(after letters: String.UnicodeScalarView) -> Bool {
        letters.isEmpty || letters.last == ":" || letters.elementsEqual("-".unicodeScalars)
    }

    /// Removes a minus and a column name from the beginning of the letters and stores them.
    private mutating func takeMeaning(of letters: inout String.UnicodeScalarView) {
        if letters.first == "-", isQuoted || letters.count > 1 {
            isExcluded = true
            letters.removeFirst()
        }
        if let colon = letters.firstIndex(of: ":"), let named = SearchColumn(typed: String(letters[..<colon]))
        {
            column = named
            letters.removeSubrange(...colon)
        }
    }
}
