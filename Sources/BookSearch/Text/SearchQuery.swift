/// A search query of the user. Any text is a valid query.
///
/// Words match anywhere, also inside words, and all of them must occur. `"two words"` is one term. `author:lima`
/// searches one column; if the word before a colon does not name a column, it belongs to the term. `-word` must not
/// occur, and of `a OR b` at least one must. `NOT word` is `-word`; `AND` and a `*` at the end of a word have no
/// effect.
public struct SearchQuery: Sendable, Hashable {
    /// One term.
    public struct Term: Sendable, Hashable {
        /// The folded text; not empty.
        public let text: String
        /// The column to search; nil for all of them.
        public let column: SearchColumn?
    }

    /// Alternative terms: at least one must occur, or none may.
    public struct Clause: Sendable, Hashable {
        /// The terms; never empty.
        public var terms: [Term]
        /// Whether none of the terms may occur.
        public let isExcluded: Bool
    }

    /// The conditions, all of which must be met. Without conditions every book matches.
    public let clauses: [Clause]

    /// Longer queries are cut to this many Unicode scalars.
    private static let longest = 2_000
    /// Further clauses, and further terms of a clause, are ignored.
    private static let most = 32

    /// Reads a query.
    public init(_ text: String) {
        var clauses: [Clause] = []
        var joins = false
        var excludes = false
        for word in QueryWord.words(of: text.unicodeScalars.prefix(Self.longest)) {
            if word.isOperator("OR") {
                joins = !clauses.isEmpty
                continue
            }
            if word.isOperator("AND") { continue }
            if word.isOperator("NOT") {
                excludes = true
                continue
            }
            guard let (term, isMinus) = Self.term(word) else { continue }
            let isExcluded = isMinus || excludes
            excludes = false
            if joins, let last = clauses.last, !last.isExcluded, !isExcluded {
                // SQLite limits the depth of an expression.
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
