/// A book in the index.
public struct SearchEntry: Sendable, Hashable {
    /// What the app calls the book; unique in its library.
    public let id: String
    /// Another text whenever the book is another: only then it is indexed again.
    public let stamp: String
    /// Its texts.
    public let texts: [SearchColumn: String]

    /// A book.
    public init(id: String, stamp: String, texts: [SearchColumn: String]) {
        self.id = id
        self.stamp = stamp
        self.texts = texts
    }
}

/// Finds books by their texts, in a file that can be deleted at any time: it is a cache, and is made again.
///
/// A text is found anywhere, also inside words and in languages without spaces, by its sequences of three letters (SQLite's FTS5).
/// Used by one thread at a time; several processes may use one file.
public final class SearchIndex {
    private var database: IndexDatabase

    /// Changes whenever the tables change.
    private static let schema = "2.\(SearchText.version)"
    private static let columns = SearchColumn.allCases.map { "c_\($0.rawValue)" }

    /// Opens an index, or makes one. A damaged file, and one of another version, is emptied.
    ///
    /// - Parameter remove: deletes the files of a damaged index.
    public init(path: String, remove: (String) -> Void) throws(SearchError) {
        do throws(SearchError) {
            database = try IndexDatabase(path: path)
            try Self.prepare(database)
        } catch {
            guard error.isDamage else { throw error }
            for suffix in ["", "-wal", "-shm"] { remove(path + suffix) }
            database = try IndexDatabase(path: path)
            try Self.prepare(database)
        }
    }

    private static func prepare(_ database: IndexDatabase) throws(SearchError) {
        try database.run("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        var version = ""
        try database.run("SELECT value FROM meta WHERE name = 'schema'") { version = $0.text(0) }
        guard version != schema else { return }
        try database.run("BEGIN IMMEDIATE")
        try database.run("DROP TABLE IF EXISTS book")
        try database.run("DROP TABLE IF EXISTS words")
        try database.run(
            """
            CREATE TABLE book (
                number INTEGER PRIMARY KEY, library TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL,
                UNIQUE (library, id))
            """)
        // The texts are folded already, so that the tokenizer need not.
        try database.run(
            "CREATE VIRTUAL TABLE words USING fts5(\(columns.joined(separator: ", ")), "
                + "tokenize = 'trigram case_sensitive 1')")
        try database.run("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", [.text(schema)])
        try database.run("COMMIT")
    }

    // MARK: indexing

    /// Makes the index of a library hold these books and no others. What has not changed is not touched.
    ///
    /// - Parameter library: names the library: app, device and file.
    /// - Returns: how many books were indexed or removed.
    @discardableResult public func update(
        _ library: String, to entries: [SearchEntry]
    ) throws(SearchError) -> Int {
        var known: [String: (number: Int64, stamp: String)] = [:]
        try database.run("SELECT id, number, stamp FROM book WHERE library = ?", [.text(library)]) {
            known[$0.text(0)] = ($0.integer(1), $0.text(2))
        }
        var changed: [SearchEntry] = []
        var gone = known
        for entry in entries {
            gone[entry.id] = nil
            if known[entry.id]?.stamp != entry.stamp { changed.append(entry) }
        }
        guard !changed.isEmpty || !gone.isEmpty else { return 0 }
        try database.run("BEGIN IMMEDIATE")
        do throws(SearchError) {
            for old in gone.values { try remove(old.number) }
            for entry in changed {
                if let old = known[entry.id] { try remove(old.number) }
                known[entry.id] = (try add(library, entry), entry.stamp)
            }
            try database.run("COMMIT")
        } catch {
            do throws(SearchError) {
                try database.run("ROLLBACK")
            } catch {
                // SQLite has undone everything itself; the first error says why.
            }
            throw error
        }
        return changed.count + gone.count
    }

    private func remove(_ number: Int64) throws(SearchError) {
        try database.run("DELETE FROM words WHERE rowid = ?", [.integer(number)])
        try database.run("DELETE FROM book WHERE number = ?", [.integer(number)])
    }

    private func add(_ library: String, _ entry: SearchEntry) throws(SearchError) -> Int64 {
        try database.run(
            "INSERT INTO book (library, id, stamp) VALUES (?, ?, ?)",
            [.text(library), .text(entry.id), .text(entry.stamp)])
        var number: Int64 = 0
        try database.run("SELECT last_insert_rowid()") { number = $0.integer(0) }
        let texts = SearchColumn.allCases.map {
            IndexDatabase.Value.text(SearchText.folded(entry.texts[$0] ?? ""))
        }
        let places = Array(repeating: "?", count: texts.count + 1).joined(separator: ", ")
        try database.run(
            "INSERT INTO words (rowid, \(Self.columns.joined(separator: ", "))) VALUES (\(places))",
            [.integer(number)] + texts)
        return number
    }

    // MARK: searching

    /// The books of a library that a query finds, the best first.
    ///
    /// - Parameter limit: the most books.
    public func search(
        _ query: SearchQuery, in library: String, limit: Int = 100_000
    ) throws(SearchError) -> [String] {
        var match: [String] = []
        var conditions: [String] = []
        var values: [IndexDatabase.Value] = []
        for clause in query.clauses {
            let isIndexed = clause.terms.allSatisfy { $0.text.unicodeScalars.count >= 3 }
            if isIndexed, !clause.isExcluded {
                match.append("(" + clause.terms.map(Self.match).joined(separator: " OR ") + ")")
            } else if isIndexed {
                conditions.append("words.rowid NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
                values.append(.text(clause.terms.map(Self.match).joined(separator: " OR ")))
            } else {
                // The index has sequences of three letters: shorter terms are looked for in the texts themselves.
                var places: [String] = []
                for term in clause.terms {
                    for column in term.column.map({ [$0] }) ?? SearchColumn.allCases {
                        places.append("instr(c_\(column.rawValue), ?) > 0")
                        values.append(.text(term.text))
                    }
                }
                conditions.append(
                    (clause.isExcluded ? "NOT " : "") + "(" + places.joined(separator: " OR ") + ")")
            }
        }
        var order = "book.number"
        if !match.isEmpty {
            conditions.insert("words MATCH ?", at: 0)
            values.insert(.text(match.joined(separator: " AND ")), at: 0)
            let weights = SearchColumn.allCases.map { "\($0.weight)" }.joined(separator: ", ")
            order = "bm25(words, \(weights)), book.number"
        }
        conditions.append("book.library = ?")
        values += [.text(library), .integer(Int64(max(0, limit)))]
        var found: [String] = []
        try database.run(
            "SELECT book.id FROM words JOIN book ON book.number = words.rowid WHERE "
                + conditions.joined(separator: " AND ") + " ORDER BY \(order) LIMIT ?", values
        ) { found.append($0.text(0)) }
        return found
    }

    /// A term in the language of FTS5: always a quoted text, so that no sign in it has a meaning.
    private static func match(_ term: SearchQuery.Term) -> String {
        let text = "\"" + term.text.replacing("\"", with: "\"\"") + "\""
        return term.column.map { "c_\($0.rawValue) : \(text)" } ?? text
    }
}
