/// What a person searches for, read from what they typed. Any text is a query.
///
/// Words are looked for anywhere, also inside words, and all of them must occur. `"two words"` is one term. `author:lima` looks in one
/// column; a word before a colon that names no column belongs to the term. `-word` must not occur, and of `a OR b` one must.
public struct SearchQuery: Sendable, Hashable {
    /// One term.
    public struct Term: Sendable, Hashable {
        /// The folded text, not empty.
        public let text: String
        /// The column to look in; nil: all.
        public let column: SearchColumn?
    }

    /// Terms of which one must occur, or must not.
    public struct Clause: Sendable, Hashable {
        /// The terms; at least one.
        public var terms: [Term]
        /// Whether none of the terms may occur.
        public let isExcluded: Bool
    }

    /// What must hold, all of it. Empty: everything matches.
    public let clauses: [Clause]

    /// Longer queries are cut.
    private static let longest = 2_000
    /// More clauses, and more terms of one, are not looked at.
    private static let most = 32

    /// Reads a query.
    public init(_ text: String) {
        var clauses: [Clause] = []
        var joins = false
        for word in QueryWord.words(of: text.unicodeScalars.prefix(Self.longest)) {
            if word.isOperator("OR") {
                joins = !clauses.isEmpty
                continue
            }
            guard let (term, isExcluded) = Self.term(word) else { continue }
            if joins, let last = clauses.last, !last.isExcluded, !isExcluded {
                // SQLite bounds the depth of an expression.
                if last.terms.count < Self.most { clauses[clauses.count - 1].terms.append(term) }
            } else {
                clauses.append(Clause(terms: [term], isExcluded: isExcluded))
            }
            joins = false
        }
        self.clauses = Array(clauses.prefix(Self.most))
    }

    private static func term(_ word: QueryWord) -> (Term, isExcluded: Bool)? {
        let folded = SearchText.folded(word.text)
        return folded.isEmpty ? nil : (Term(text: folded, column: word.column), word.isExcluded)
    }
}
