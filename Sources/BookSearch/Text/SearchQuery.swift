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
    /// More clauses are not looked at.
    private static let most = 32

    /// Reads a query.
    public init(_ text: String) {
        var clauses: [Clause] = []
        var joins = false
        for word in Self.words(String(text.unicodeScalars.prefix(Self.longest))) {
            if word.text == "OR", !word.isQuoted {
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

    /// A word as it was typed.
    private struct Word {
        var text = ""
        /// Whether it began with a quote, so that no sign in it has a meaning.
        var isQuoted = false
        /// How many letters were before the first quote; nil without one.
        var quote: Int?
    }

    /// The words between white space outside quotes. A quote that is not closed ends with the text.
    private static func words(_ text: String) -> [Word] {
        var words: [Word] = []
        var word = Word()
        var isOpen = false
        func end() {
            if !word.text.isEmpty { words.append(word) }
            word = Word()
        }
        for character in text {
            if character == "\"" {
                if word.text.isEmpty { word.isQuoted = true }
                if word.quote == nil { word.quote = word.text.count }
                if isOpen {
                    isOpen = false
                    end()
                } else {
                    // A quote inside a word, such as the sign for inches, is one of its letters.
                    let begins = word.text.isEmpty || word.text.hasSuffix(":") || word.text == "-"
                    if begins { isOpen = true } else { word.text.append(character) }
                }
            } else if character.isWhitespace, !isOpen {
                end()
            } else {
                word.text.append(character)
            }
        }
        end()
        return words
    }

    private static func term(_ word: Word) -> (Term, isExcluded: Bool)? {
        var text = Substring(word.text)
        var isExcluded = false
        var column: SearchColumn?
        if !word.isQuoted {
            if text.hasPrefix("-"), text.count > 1 {
                isExcluded = true
                text = text.dropFirst()
            }
            if let colon = text.firstIndex(of: ":"), let named = SearchColumn(typed: String(text[..<colon])) {
                column = named
                text = text[text.index(after: colon)...]
            }
        }
        let folded = SearchText.folded(String(text))
        return folded.isEmpty ? nil : (Term(text: folded, column: column), isExcluded)
    }
}

/// A part of what is known of a book.
public enum SearchColumn: String, Sendable, Hashable, CaseIterable {
    case key, title, author, editor, container, keywords, abstract, notes, identifiers, groups, year, type,
        other
    /// The text of the book's file.
    case content

    /// The column that a person names so, in any case; nil if there is none.
    init?(typed name: String) {
        switch name.lowercased() {
        case "authors": self = .author
        case "editors": self = .editor
        case "tag", "tags", "keyword": self = .keywords
        case "journal", "series", "booktitle": self = .container
        case "group", "collection": self = .groups
        case "doi", "isbn", "issn", "id", "identifier": self = .identifiers
        case "note", "description": self = .notes
        case "text": self = .content
        case let name: self.init(rawValue: name)
        }
    }

    /// How much a hit in the column counts.
    var weight: Double {
        switch self {
        case .title: 10
        case .author, .key: 8
        case .editor, .keywords, .identifiers, .year: 4
        case .container, .groups, .type: 3
        case .abstract, .notes, .other: 1
        case .content: 0.5
        }
    }
}
