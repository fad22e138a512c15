/// A word of a query as it was typed, between white space outside quotes.
struct QueryWord {
    /// What is looked for.
    private(set) var text = ""
    /// The column that stood before it.
    private(set) var column: SearchColumn?
    /// Whether a minus stood before it.
    private(set) var isExcluded = false
    /// Whether a part of it was quoted, where no sign has a meaning.
    private var isQuoted = false

    /// Whether it is this word without quotes.
    func isOperator(_ word: String) -> Bool { text == word && !isQuoted && !isExcluded && column == nil }

    /// The words of a text. A quote that is not closed ends with the text.
    ///
    /// Scalars are looked at one by one: a quote with an accent is a quote to SQLite, and so it must be here.
    static func words(of text: some Sequence<Unicode.Scalar>) -> [QueryWord] {
        var words: [QueryWord] = []
        var word = QueryWord()
        var letters = String.UnicodeScalarView()
        var isOpen = false
        func end() {
            if !word.isQuoted { word.takeMeaning(of: &letters) }
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
                // A quote inside a word, such as the sign for inches, is one of its letters.
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

    /// Takes a minus and the name of a column from the beginning of the letters.
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
