import CSQLite

extension LibraryDatabase {
    /// More rows with values that no Marvin writes mean that nothing in the database can be believed.
    private static let mostUnreadable = 10_000

    /// Hands over the rows of a table in the order of their keys, but for those with a value too large for any statement.
    ///
    /// SQLite ends a statement at such a row. The rows behind it are read with another statement, so that one of them does
    /// not hide all others.
    ///
    /// - Parameters:
    ///   - columns: expressions over the table's name `t`.
    ///   - limit: most rows; more mean that the database is damaged.
    /// - Returns: how many rows were passed over.
    @discardableResult
    func readableRows(
        of table: String, _ columns: [String], where condition: String = "1", values: [Int64] = [],
        limit: Int,
        _ body: (LibraryRow) throws(LibraryFailure) -> Void
    ) throws(LibraryFailure) -> Int {
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
                    row throws(LibraryFailure) in
                    try body(row)
                    count += 1
                    start = Self.next(row.key(Int32(columns.count)))
                }
                return unreadable
            } catch {
                guard error.sqliteCode & 0xff == SQLITE_TOOBIG, unreadable < Self.mostUnreadable else {
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

    /// Whether the rows of a table have keys that can be asked for: not so in a table without row ids, nor where a column of
    /// its own has taken their name.
    private func hasKeys(_ table: String) throws(LibraryFailure) -> Bool {
        guard try !columns(of: table).contains("rowid") else { return false }
        do {
            try rows("SELECT t.rowid FROM \"\(table)\" AS t LIMIT 1", limit: 1) { _ throws(LibraryFailure) in
            }
            return true
        } catch {
            guard error.sqliteCode & 0xff == SQLITE_ERROR else { throw error }
            return false
        }
    }

    private static func next(_ key: Int64?) -> Int64 {
        guard let key else { return .max }
        return key < .max ? key + 1 : key
    }
}
