import CSQLite
import SQLite

extension DeviceDatabase {
    /// If more rows than this have oversized values, the database as a whole is not trusted.
    private static let mostUnreadable = 10_000

    /// The names of the tables in the schema, in lower case, and whether each is an ordinary table that stores rows.
    ///
    /// Views and virtual tables have no root page.
    public func tables() throws(DatabaseError) -> [String: Bool] {
        var plain: [String: Bool] = [:]
        try rows("SELECT m.name, m.type, m.rootpage FROM main.sqlite_master AS m", limit: 4_000_000) {
            row throws(DatabaseError) in
            guard let name = try row.text(0), let type = try row.text(1), type == "table" || type == "view"
            else { return }
            plain[name.lowercased()] = type == "table" && (row.key(2) ?? 0) > 0
        }
        return plain
    }

    /// The stored columns of a table, by their names in lower case. Generated and hidden columns are left out,
    /// because reading them would execute expressions of the schema.
    ///
    /// - Parameter table: a name from the code, never from the database.
    public func columns(of table: String) throws(DatabaseError) -> Set<String> {
        var names: Set<String> = []
        try rows("PRAGMA table_info(\"\(table)\")", limit: 10_000) { row throws(DatabaseError) in
            if let name = try row.text(1) { names.insert(name.lowercased()) }
        }
        return names
    }

    /// Runs one statement and passes each row to the closure.
    ///
    /// - Parameters:
    ///   - sql: a text from the code; it never contains anything from the database or the user.
    ///   - values: integers for the statement's parameters, in order.
    ///   - limit: the most rows; if there are more, the database is damaged.
    ///   - body: receives each row; if it throws, the statement ends.
    public func rows(
        _ sql: String, values: [Int64] = [], limit: Int,
        _ body: (DatabaseRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let statement: SQLiteStatement
        do throws(SQLiteFailure) {
            statement = try connection.prepare(sql, values.map { .integer($0) })
        } catch {
            throw DatabaseError(error, name: name)
        }
        var count = 0
        while true {
            do throws(SQLiteFailure) {
                guard try statement.step() else { return }
            } catch {
                throw DatabaseError(error, name: name)
            }
            count += 1
            guard count <= limit else {
                throw .damaged("\(name) has more than \(limit) rows in a table that should be small.")
            }
            try body(DatabaseRow(row: statement.row, database: self))
        }
    }

    /// Passes the rows of a table to the closure in the order of their keys, except for rows with a value that is too
    /// large to read.
    ///
    /// SQLite ends a statement at such a row. Another statement reads the rows after it, so that one bad row does not
    /// hide the others.
    ///
    /// - Parameters:
    ///   - table: a name from the code.
    ///   - columns: SQL expressions that use the table's name `t`.
    ///   - condition: an SQL expression from the code that selects rows; it uses `t` and the parameters from `?1` on.
    ///   - values: integers for those parameters.
    ///   - limit: the most rows; if there are more, the database is damaged.
    ///   - body: receives each row; if it throws, the statement ends.
    /// - Returns: the number of rows that were skipped.
    @discardableResult
    public func readableRows(
        of table: String, _ columns: [String], where condition: String = "1", values: [Int64] = [],
        limit: Int,
        _ body: (DatabaseRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Int {
        let (list, source) = (columns.joined(separator: ", "), "FROM \"\(table)\" AS t")
        guard try hasKeys(table) else {
            try rows("SELECT \(list) \(source) WHERE \(condition)", values: values, limit: limit, body)
            return 0
        }
        let part = "\(source) WHERE (\(condition)) AND t.rowid >= ?\(values.count + 1) ORDER BY t.rowid"
        var (start, count, unreadable) = (Int64.min, 0, 0)
        while true {
            do {
                try rows("SELECT \(list), t.rowid \(part)", values: values + [start], limit: limit - count) {
                    row throws(DatabaseError) in
                    try body(row)
                    count += 1
                    start = Self.next(row.key(Int32(columns.count)))
                }
                return unreadable
            } catch {
                guard error.primaryCode == SQLITE_TOOBIG, unreadable < Self.mostUnreadable else {
                    throw error
                }
            }
            unreadable += 1
            var culprit: Int64?
            try rows("SELECT t.rowid \(part) LIMIT 1", values: values + [start], limit: 1) { row in
                culprit = row.key(0)
            }
            guard let culprit, culprit < .max else { return unreadable }
            start = culprit + 1
        }
    }

    /// Whether the rows of a table can be selected by row id. They cannot in a table without row ids, or with a
    /// column of its own named `rowid`.
    private func hasKeys(_ table: String) throws(DatabaseError) -> Bool {
        guard try !columns(of: table).contains("rowid") else { return false }
        do {
            try rows("SELECT t.rowid FROM \"\(table)\" AS t LIMIT 1", limit: 1) { _ throws(DatabaseError) in
            }
            return true
        } catch {
            guard error.primaryCode == SQLITE_ERROR else { throw error }
            return false
        }
    }

    private static func next(_ key: Int64?) -> Int64 {
        guard let key else { return .max }
        return key < .max ? key + 1 : key
    }
}
