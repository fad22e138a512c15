import CSQLite

/// A connection to an SQLite database. For use by one thread at a time.
///
/// The modules that use it make their own errors of an ``SQLiteFailure``, and set what a database may cost.
package final class SQLiteConnection {
    /// The connection for functions of SQLite that this module does not offer.
    package let handle: OpaquePointer

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: the path of its file, or `:memory:`.
    ///   - flags: the `SQLITE_OPEN_…` flags.
    package init(_ path: String, _ flags: Int32) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let failure = SQLiteFailure(result, on: opened)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
    }

    /// SQLite closes the connection after the last statement was released.
    deinit { sqlite3_close_v2(handle) }

    /// Sets the largest sizes of values, statements and other parts, so that a malicious database cannot exhaust the
    /// memory.
    ///
    /// - Parameter limits: the sizes by their `SQLITE_LIMIT_…` categories.
    package func limit(_ limits: KeyValuePairs<Int32, Int32>) {
        for (category, most) in limits { sqlite3_limit(handle, category, most) }
    }

    /// Prepares a statement and binds its first parameters.
    package func prepare(_ sql: String, _ values: [SQLiteParameter] = []) throws(SQLiteFailure)
        -> SQLiteStatement
    {
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard result == SQLITE_OK, let prepared else { throw SQLiteFailure(result, on: handle) }
        let statement = SQLiteStatement(prepared)
        try statement.bind(values)
        return statement
    }

    /// The row id of the row added last.
    package var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }
}

/// A result of SQLite that is an error.
package struct SQLiteFailure: Error, Sendable {
    /// The result code; extended if the connection was opened with `SQLITE_OPEN_EXRESCODE`.
    package let code: Int32
    /// SQLite's description, without a full stop.
    package let text: String

    /// The error for the result that SQLite just returned on a connection, which is nil if there is no memory for it.
    package init(_ code: Int32, on handle: OpaquePointer?) {
        self.code = code
        text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    }
}
