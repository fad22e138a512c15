import Glibc
import Platform
import SQLite

/// Finds the books of a library by their texts. Its file is only a cache: it can be deleted at any time and is then rebuilt.
///
/// A text is found anywhere, also inside words and in languages without spaces, by its trigrams (SQLite's FTS5). Use
/// from one thread at a time; several processes may use one file.
public final class SearchIndex {
    private var database: IndexDatabase
    private let path: String

    /// Whether the index is in memory, without a file.
    public var isInMemory: Bool { path == IndexDatabase.memory }

    /// Opens or creates an index. A file that is damaged or of another version is rebuilt.
    ///
    /// - Parameter file: the path of the file; its folder must exist. Nil keeps the index in memory, for this object
    ///   only.
    public init(file: String?) throws(SearchError) {
        path = file ?? IndexDatabase.memory
        do throws(SearchError) {
            database = try IndexDatabase(path: path)
            try IndexTables.prepare(database)
        } catch {
            guard error.isDamage, file != nil else { throw error }
            database = try Self.anew(path)
        }
    }

    /// Deletes a damaged file and creates a new one.
    private static func anew(_ path: String) throws(SearchError) -> IndexDatabase {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        let database = try IndexDatabase(path: path)
        try IndexTables.prepare(database)
        return database
    }

    /// Updates the index to contain exactly these books. Unchanged books are not written; if nothing changed, neither
    /// is the file. If damage is detected only now, the index is rebuilt.
    ///
    /// - Parameter entries: the books; if several have the same id, the last is used.
    /// - Returns: the number of books that were indexed or removed.
    @discardableResult public func update(to entries: some Sequence<SearchEntry>) throws(SearchError) -> Int {
        try mending { () throws(SearchError) in try hold(entries) }
    }

    /// Updates the index to contain exactly these books, and searches them.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - entries: the books; if several have the same id, the last is used.
    ///   - texts: returns the texts inside books that the index does not have yet; nil does not search inside books.
    /// - Returns: the books found, best first; all books for an empty query.
    public func find(
        _ query: SearchQuery, among entries: some Sequence<SearchEntry>,
        texts: ((SearchIndex) throws(SearchError) -> Void)? = nil
    ) throws(SearchError) -> [SearchHit] {
        try mending { () throws(SearchError) in
            try hold(entries)
            try texts?(self)
            return try search(query, inTexts: texts != nil)
        }
    }

    /// Runs some work. If the index is damaged, it is rebuilt, and the work runs once more.
    private func mending<Value>(_ work: () throws(SearchError) -> Value) throws(SearchError) -> Value {
        do throws(SearchError) {
            return try work()
        } catch {
            guard error.isDamage, !isInMemory else { throw error }
            database = try Self.anew(path)
            return try work()
        }
    }

    @discardableResult private func hold(_ entries: some Sequence<SearchEntry>) throws(SearchError) -> Int {
        let database = database
        return try database.transaction { () throws(SearchError) in
            var known: [ExactText: (number: Int64, stamp: UInt64)] = [:]
            try database.run("SELECT id, number, stamp FROM book") { row in
                known[ExactText(row.text(0) ?? "")] = (row.integer(1), UInt64(bitPattern: row.integer(2)))
            }
            var gone = known
            var count = 0
            for entry in entries {
                let id = ExactText(entry.id)
                gone[id] = nil
                let before = known[id]
                guard before?.stamp != entry.stamp else { continue }
                let number = try IndexTables.add(entry, replacing: before?.number, database)
                known[id] = (number, entry.stamp)
                count += 1
            }
            for before in gone.values { try IndexTables.remove(before.number, database) }
            return count + gone.count
        }
    }

    /// The books that a query finds, best first; all books for an empty query.
    ///
    /// - Parameter inTexts: whether words without a column are also looked for inside the books whose text was kept.
    ///   Books whose description matches come first.
    public func search(_ query: SearchQuery, inTexts: Bool = false) throws(SearchError) -> [SearchHit] {
        let statement = try SearchStatement(query, inTexts: inTexts, database)
        var found = try found(statement.sql, statement.values)
        if let ranked = statement.ranked, found.count <= SearchStatement.mostRanked {
            found = try self.found(ranked, statement.values)
            found.sort { ($0.hit.rank, $0.number) < ($1.hit.rank, $1.number) }
            return found.map(\.hit)
        }
        guard let foremost = statement.foremost else { return found.map(\.hit) }
        // Both lists are sorted by number.
        var first: [Int64] = []
        try database.run("SELECT rowid FROM words WHERE words MATCH ?", [.text(foremost)]) { row in
            first.append(row.integer(0))
        }
        var (hits, others): ([SearchHit], [SearchHit]) = ([], [])
        var next = first.startIndex
        for (hit, number) in found {
            while next < first.endIndex, first[next] < number { next += 1 }
            if next < first.endIndex, first[next] == number {
                hits.append(hit)
            } else {
                others.append(SearchHit(id: hit.id, rank: 1))
            }
        }
        return hits + others
    }

    /// The books that a statement finds, in the order of their numbers.
    private func found(
        _ sql: String, _ values: [SQLiteParameter]
    ) throws(SearchError) -> [(hit: SearchHit, number: Int64)] {
        var found: [(hit: SearchHit, number: Int64)] = []
        var isInOrder = true
        try database.run(sql, values) { row in
            let number = row.integer(1)
            if let last = found.last, last.number > number { isInOrder = false }
            found.append((SearchHit(id: row.text(0) ?? "", rank: row.number(2) ?? 0), number))
        }
        // SQLite usually returns them in order, and sorting in SQL would take longer than the search.
        if !isInOrder { found.sort { $0.number < $1.number } }
        return found
    }

    // MARK: texts inside books

    /// The ids of the books without stored text, or whose text is of another version.
    ///
    /// - Parameter stamps: a number for each book that changes when its file does.
    public func withoutText(
        _ stamps: some Sequence<(id: String, stamp: UInt64)>
    ) throws(SearchError) -> [String] {
        var kept: [ExactText: UInt64] = [:]
        try database.run("SELECT book.id, pages.stamp FROM pages JOIN book USING (number)") { row in
            kept[ExactText(row.text(0) ?? "")] = UInt64(bitPattern: row.integer(1))
        }
        return stamps.filter { kept[ExactText($0.id)] != $0.stamp }.map(\.id)
    }

    /// Stores the text inside a book until the book is removed or gets another text. Does nothing if the index does
    /// not have the book.
    public func keep(_ text: String, stamp: UInt64, of id: String) throws(SearchError) {
        let database = database
        try database.transaction { () throws(SearchError) in
            var number: Int64?
            try database.run("SELECT number FROM book WHERE id = ?", [.text(id)]) { number = $0.integer(0) }
            guard let number else { return }
            try IndexTables.keep(text, stamp: stamp, of: number, database)
        }
    }
}
