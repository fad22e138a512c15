import SQLite

/// The tables of an index. `book` has a row for each book, `texts` its folded texts, and `words` is the trigram index
/// of these. `pages` has the folded text inside a book, if it was read, and `page_words` is its trigram index.
enum IndexTables {
    /// Changes whenever the tables, the columns or the folding change.
    private static let schema = "5.\(SearchText.version) \(columns)"
    private static let columns = SearchColumn.described.map(\.name).joined(separator: ", ")
    private static let places = SearchColumn.described.map { _ in "?" }.joined(separator: ", ")

    /// The positions of each trigram in each book: a view of `words` that each connection creates for itself.
    static let letters = "temp.letters"

    /// Creates the tables if there are none, and replaces those of another version.
    static func prepare(_ database: IndexDatabase) throws(SearchError) {
        guard try version(database) != schema else { return try addLetters(database) }
        try database.transaction { () throws(SearchError) in
            // Another process may have created them meanwhile.
            guard try version(database) != schema else { return }
            for table in ["page_words", "pages", "words", "texts", "book", "meta"] {
                try database.run("DROP TABLE IF EXISTS \(table)")
            }
            try database.run("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            try database.run(
                "CREATE TABLE book (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp INTEGER NOT NULL)"
            )
            try database.run("CREATE TABLE texts (number INTEGER PRIMARY KEY, \(columns))")
            // The texts are already folded, so the tokenizer does not need to.
            try database.run(
                "CREATE VIRTUAL TABLE words USING fts5(\(columns), content = 'texts', content_rowid = 'number', "
                    + "tokenize = 'trigram case_sensitive 1')")
            try database.run(
                "CREATE TABLE pages (number INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, text TEXT NOT NULL)")
            try database.run(
                "CREATE VIRTUAL TABLE page_words USING fts5(text, content = 'pages', content_rowid = 'number', "
                    + "tokenize = 'trigram case_sensitive 1')")
            try database.run("INSERT INTO meta VALUES ('schema', ?)", [.text(schema)])
        }
        try addLetters(database)
    }

    private static func addLetters(_ database: IndexDatabase) throws(SearchError) {
        try database.run("CREATE VIRTUAL TABLE \(letters) USING fts5vocab(main, words, instance)")
    }

    /// The version of the tables; empty if there are none.
    private static func version(_ database: IndexDatabase) throws(SearchError) -> String {
        var (count, version): (Int64, String) = (0, "")
        try database.run("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'") { count = $0.integer(0) }
        guard count > 0 else { return "" }
        try database.run("SELECT value FROM meta WHERE name = 'schema'") { version = $0.text(0) ?? "" }
        return version
    }

    /// Removes a book with its texts.
    static func remove(_ number: Int64, _ database: IndexDatabase) throws(SearchError) {
        try removeDescription(number, database)
        try removeText(number, database)
    }

    private static func removeDescription(
        _ number: Int64, _ database: IndexDatabase
    ) throws(SearchError) {
        // `words` does not store texts, so the deletion must pass the old texts to it.
        try database.run(
            "INSERT INTO words (words, rowid, \(columns)) SELECT 'delete', number, \(columns) FROM texts WHERE number = ?",
            [.integer(number)])
        try database.run("DELETE FROM texts WHERE number = ?", [.integer(number)])
        try database.run("DELETE FROM book WHERE number = ?", [.integer(number)])
    }

    private static func removeText(_ number: Int64, _ database: IndexDatabase) throws(SearchError) {
        try database.run(
            "INSERT INTO page_words (page_words, rowid, text) SELECT 'delete', number, text FROM pages WHERE number = ?",
            [.integer(number)])
        try database.run("DELETE FROM pages WHERE number = ?", [.integer(number)])
    }

    /// Adds a book and returns its number.
    ///
    /// - Parameter before: the number of the same book with its old texts, which are replaced. The text inside the
    ///   book is kept.
    static func add(
        _ entry: SearchEntry, replacing before: Int64?, _ database: IndexDatabase
    ) throws(SearchError) -> Int64 {
        if let before { try removeDescription(before, database) }
        try database.run(
            "INSERT INTO book (number, id, stamp) VALUES (?, ?, ?)",
            [before.map { .integer($0) } ?? .null, .text(entry.id), .integer(Int64(bitPattern: entry.stamp))])
        let number = database.lastInserted
        let texts = entry.texts()
        let values: [SQLiteParameter] =
            [.integer(number)]
            + SearchColumn.described.map { .text(padded(SearchText.folded(texts[$0] ?? ""))) }
        try database.run("INSERT INTO texts (number, \(columns)) VALUES (?, \(places))", values)
        try database.run("INSERT INTO words (rowid, \(columns)) VALUES (?, \(places))", values)
        return number
    }

    /// Stores the text inside a book, in place of any earlier one.
    static func keep(
        _ text: String, stamp: UInt64, of number: Int64, _ database: IndexDatabase
    ) throws(SearchError) {
        try removeText(number, database)
        let text = SearchText.folded(text)
        try database.run(
            "INSERT INTO pages (number, stamp, text) VALUES (?, ?, ?)",
            [.integer(number), .integer(Int64(bitPattern: stamp)), .text(text)])
        try database.run(
            "INSERT INTO page_words (rowid, text) VALUES (?, ?)", [.integer(number), .text(text)])
    }

    /// The text with two spaces at the end, so that a trigram begins at its last letter too.
    private static func padded(_ text: String) -> String { text.isEmpty ? "" : text + "  " }
}
