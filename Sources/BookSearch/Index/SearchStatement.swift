import SQLite

/// A query as an SQL statement. The user's text occurs only in its values, and is quoted for FTS5.
struct SearchStatement {
    /// Selects the id, number and rank of each book found, in any order. All ranks are 0.
    private(set) var sql = ""
    /// The statement with real ranks, where the lowest is the best; nil if the query cannot rank books.
    private(set) var ranked: String?
    /// The FTS5 match of the books that come first when not all books are ranked; nil if there is none.
    private(set) var foremost: String?
    /// The values of both statements.
    private(set) var values: [SQLiteParameter] = []
    private var conditions: [String] = []
    /// The SQL expression for the number of a book.
    private var number = "texts.number"

    /// The fewest letters of a term that FTS5 can find.
    private static let shortest = 3
    /// With more books than this, the index does not rank them, because words that occur everywhere do not determine
    /// a rank.
    static let mostRanked = 2_000
    /// With more occurrences than this, a short term is searched in the texts.
    private static let mostPlaces = 5_000

    /// The statement for a query on the index in its present state.
    ///
    /// - Parameter inTexts: whether to also search inside the books.
    init(_ query: SearchQuery, inTexts: Bool, _ database: IndexDatabase) throws(SearchError) {
        let asksForTexts = query.clauses.contains { $0.terms.contains { $0.column == .text } }
        let (rank, table) =
            inTexts || asksForTexts
            ? (nil, try lookIntoTexts(query, isFor: inTexts, database))
            : try lookIntoDescriptions(query, database)
        sql = select("0", from: table)
        ranked = rank.map { select($0, from: table) }
    }

    /// A CROSS JOIN keeps the order of the tables: FTS5 can evaluate the match only on the first one.
    private func select(_ rank: String, from table: String) -> String {
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        guard table != "book" else { return "SELECT id, number, \(rank) FROM book NOT INDEXED\(filter)" }
        return """
            SELECT book.id, found.number, found.rank FROM (SELECT \(number) AS number, \(rank) AS rank FROM \(table)\(filter)) AS found
            CROSS JOIN book ON book.number = found.number
            """
    }

    private mutating func lookIntoDescriptions(
        _ query: SearchQuery, _ database: IndexDatabase
    ) throws(SearchError) -> (rank: String?, table: String) {
        let matched = query.clauses.filter { !$0.isExcluded && Self.isIndexed($0) }
        let others = query.clauses.filter { $0.isExcluded || !Self.isIndexed($0) }
        var (rank, table): (String?, String) = (nil, "texts")
        if !matched.isEmpty {
            // The plus sign keeps SQLite from looking rows up by number, which would make the match impossible.
            (number, table) = ("+words.rowid", "words")
            rank = "bm25(words, \(SearchColumn.described.map { "\($0.weight)" }.joined(separator: ", ")))"
            foremost = Self.foremost(matched)
            conditions.append("words MATCH ?")
            values.append(.text(Self.match(matched)))
        } else if others.allSatisfy(Self.isIndexed) {
            // Without the texts, less is read.
            (number, table) = ("number", "book")
        }
        var scansTexts = false
        for clause in others {
            if Self.isIndexed(clause) {
                exclude(clause)
            } else {
                scansTexts = try lookFor(clause, database) || scansTexts
            }
        }
        if scansTexts, !matched.isEmpty { table = "words CROSS JOIN texts ON texts.number = words.rowid" }
        return (rank, table)
    }

    /// Searches descriptions and texts; matches in descriptions come first.
    ///
    /// - Parameter isFor: whether to search the texts for terms without a column.
    private mutating func lookIntoTexts(
        _ query: SearchQuery, isFor anyTerm: Bool, _ database: IndexDatabase
    ) throws(SearchError) -> String {
        let described = query.clauses.filter { clause in
            !clause.isExcluded && Self.isIndexed(clause)
                && !clause.terms.contains { $0.column == .text }
        }
        if !described.isEmpty { foremost = Self.match(described) }
        number = "number"
        for clause in query.clauses {
            var places: [String] = []
            for term in clause.terms {
                if term.column != .text { places += try self.places(term, database).conditions }
                if term.column == .text || anyTerm && term.column == nil { places.append(text(term)) }
            }
            add(places, clause)
        }
        return query.clauses.contains { $0.terms.contains { !Self.isIndexed($0) } } ? "texts" : "book"
    }

    /// The condition that a term is in the text inside a book.
    private mutating func text(_ term: SearchQuery.Term) -> String {
        guard Self.isIndexed(term) else {
            values.append(.text(term.text))
            return "\(number) IN (SELECT number FROM pages WHERE instr(text, ?))"
        }
        values.append(.text(Self.quoted(term.text)))
        return "\(number) IN (SELECT rowid FROM page_words WHERE page_words MATCH ?)"
    }

    private mutating func add(_ places: [String], _ clause: SearchQuery.Clause) {
        conditions.append((clause.isExcluded ? "NOT " : "") + "(" + places.joined(separator: " OR ") + ")")
    }

    // MARK: long terms

    private static func isIndexed(_ clause: SearchQuery.Clause) -> Bool {
        clause.terms.allSatisfy { isIndexed($0) }
    }

    private static func isIndexed(_ term: SearchQuery.Term) -> Bool {
        term.text.unicodeScalars.count >= shortest
    }

    private mutating func exclude(_ clause: SearchQuery.Clause) {
        conditions.append("\(number) NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(.text(clause.terms.map(Self.match).joined(separator: " OR ")))
    }

    /// The FTS5 match of books with the clauses in the most important columns.
    private static func foremost(_ clauses: [SearchQuery.Clause]) -> String {
        let columns = SearchColumn.described.filter { $0.weight >= 8 }.map(\.name).joined(separator: " ")
        return clauses.map { clause in
            let terms = clause.terms.map {
                $0.column == nil ? "{\(columns)} : \(quoted($0.text))" : match($0)
            }
            return "(\(terms.joined(separator: " OR ")))"
        }.joined(separator: " AND ")
    }

    /// The FTS5 match of books with all clauses.
    private static func match(_ clauses: [SearchQuery.Clause]) -> String {
        clauses.map { "(\($0.terms.map(match).joined(separator: " OR ")))" }.joined(separator: " AND ")
    }

    private static func match(_ term: SearchQuery.Term) -> String {
        let text = quoted(term.text)
        return term.column.map { "\($0.name) : \(text)" } ?? text
    }

    /// A text as an FTS5 string, in which no character has a special meaning.
    private static func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        // Scalar by scalar, because Swift treats a quote with a combining accent as another character.
        for scalar in text.unicodeScalars {
            quoted.append(scalar)
            if scalar == "\"" { quoted.append(scalar) }
        }
        quoted.append("\"")
        return String(quoted)
    }

    // MARK: short terms

    /// Adds the condition for a clause with terms that are too short for FTS5.
    ///
    /// - Returns: whether the condition reads the texts.
    private mutating func lookFor(
        _ clause: SearchQuery.Clause, _ database: IndexDatabase
    ) throws(SearchError) -> Bool {
        var (conditions, scansTexts): ([String], Bool) = ([], false)
        for term in clause.terms {
            let places = try self.places(term, database)
            conditions += places.conditions
            scansTexts = scansTexts || places.scansTexts
        }
        add(conditions, clause)
        return scansTexts
    }

    /// The alternative conditions for a term in the description of a book, and whether they read the texts.
    private mutating func places(
        _ term: SearchQuery.Term, _ database: IndexDatabase
    ) throws(SearchError) -> (conditions: [String], scansTexts: Bool) {
        if Self.isIndexed(term) {
            values.append(.text(Self.match(term)))
            return (["\(number) IN (SELECT rowid FROM words WHERE words MATCH ?)"], false)
        }
        if try Self.isRare(term, database) {
            let column = term.column.map { " AND col = '\($0.name)'" } ?? ""
            values += Self.range(term)
            return (
                ["\(number) IN (SELECT doc FROM \(IndexTables.letters) WHERE \(Self.range)\(column))"], false
            )
        }
        // Column by column, because most of these terms are found in the first ones.
        let columns = term.column.map { [$0] } ?? SearchColumn.described
        values += columns.map { _ in .text(term.text) }
        return (columns.map { "instr(texts.\($0.name), ?)" }, true)
    }

    /// Every letter of a text begins a trigram, because indexed texts end with two spaces.
    private static let range = "term >= ? AND term <= ?"

    private static func range(_ term: SearchQuery.Term) -> [SQLiteParameter] {
        [.text(term.text), .text(term.text + "\u{10FFFF}\u{10FFFF}")]
    }

    private static func isRare(
        _ term: SearchQuery.Term, _ database: IndexDatabase
    ) throws(SearchError) -> Bool {
        var count: Int64 = 0
        let places = "SELECT 1 FROM \(IndexTables.letters) WHERE \(range) LIMIT \(mostPlaces)"
        try database.run("SELECT count(*) FROM (\(places))", range(term)) { count = $0.integer(0) }
        return count < mostPlaces
    }
}
