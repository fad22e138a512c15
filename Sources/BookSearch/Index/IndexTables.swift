/// The tables of an index: `book` has a row for each book, `texts` its folded texts, and `words` finds them by three letters.
enum IndexTables {
    /// Changes whenever the tables change, and with the columns and the folding.
    private static let schema = "4.\(SearchText.version) \(columns)"
    private static let columns = SearchColumn.allCases.map(\.name).joined(separator: ", ")
    private static let places = SearchColumn.allCases.map { _ in "?" }.joined(separator: ", ")

    /// Where in which book each three letters are: a view of `words`, which each connection makes for itself.
    static let letters = "temp.letters"

    /// Makes the tables if there are none, or those of another version.
    static func prepare(_ database: IndexDatabase) throws(SearchError) {
        guard try version(database) != schema else { return try addLetters(database) }
        try database.transaction { () throws(SearchError) in
            // Another process may have made them meanwhile.
            guard try version(database) != schema else { return }
            for table in ["words", "texts", "book", "meta"] {
                try database.run("DROP TABLE IF EXISTS \(table)")
            }
            try database.run("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            try database.run(
                "CREATE TABLE book (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp INTEGER NOT NULL)"
            )
            try database.run("CREATE TABLE texts (number INTEGER PRIMARY KEY, \(columns))")
            // The texts are folded already, so that the tokenizer need not.
            try database.run(
                "CREATE VIRTUAL TABLE words USING fts5(\(columns), content = 'texts', content_rowid = 'number', "
                    + "tokenize = 'trigram case_sensitive 1')")
            try database.run("INSERT INTO meta VALUES ('schema', ?)", [.text(schema)])
        }
        try addLetters(database)
    }

    private static func addLetters(_ database: IndexDatabase) throws(SearchError) {
        try database.run("CREATE VIRTUAL TABLE \(letters) USING fts5vocab(main, words, instance)")
    }

    /// The version of the tables; empty without tables.
    private static func version(_ database: IndexDatabase) throws(SearchError) -> String {
        var (count, version): (Int64, String) = (0, "")
        try database.run("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'") { count = $0.integer(0) }
        guard count > 0 else { return "" }
        try database.run("SELECT value FROM meta WHERE name = 'schema'") { version = $0.text(0) }
        return version
    }

    /// Removes a book.
    static func remove(_ number: Int64, _ database: IndexDatabase) throws(SearchError) {
        // `words` keeps no texts of its own: it has to be told what it knows.
        try database.run(
            "INSERT INTO words (words, rowid, \(columns)) SELECT 'delete', number, \(columns) FROM texts WHERE number = ?",
            [.integer(number)])
        try database.run("DELETE FROM texts WHERE number = ?", [.integer(number)])
        try database.run("DELETE FROM book WHERE number = ?", [.integer(number)])
    }

    /// Adds a book, and returns its number.
    static func add(_ entry: SearchEntry, _ database: IndexDatabase) throws(SearchError) -> Int64 {
        try database.run(
            "INSERT INTO book (id, stamp) VALUES (?, ?)",
            [.text(entry.id), .integer(Int64(bitPattern: entry.stamp))])
        let number = database.lastInserted
        let texts = entry.texts()
        let values: [IndexDatabase.Value] =
            [.integer(number)]
            + SearchColumn.allCases.map { .text(padded(SearchText.folded(texts[$0] ?? ""))) }
        try database.run("INSERT INTO texts (number, \(columns)) VALUES (?, \(places))", values)
        try database.run("INSERT INTO words (rowid, \(columns)) VALUES (?, \(places))", values)
        return number
    }

    /// The text with room behind its last letter, so that this letter begins three, too.
    private static func padded(_ text: String) -> String { text.isEmpty ? "" : text + "  " }
}
