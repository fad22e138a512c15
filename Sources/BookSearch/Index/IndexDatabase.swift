import CSQLite
import SQLite

/// The SQLite database of an index. Use from one thread at a time.
final class IndexDatabase {
    /// The path of an in-memory database.
    static let memory = ":memory:"

    private let connection: SQLiteConnection
    private let path: String
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens the file, and creates it if it does not exist. `:memory:` gives a database in memory, for this process
    /// only.
    init(path: String) throws(SearchError) {
        self.path = path
        do throws(SQLiteFailure) {
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            connection = try SQLiteConnection(path, flags)
        } catch {
            throw Self.failure(error.code, "it cannot be opened", path)
        }
        // Two commands may run at once; the second waits until the first has written.
        sqlite3_busy_timeout(connection.handle, 10_000)
        // A journal is written only for a change, so an unchanged index is opened without writing.
        for pragma in ["trusted_schema=OFF", "synchronous=NORMAL", "temp_store=MEMORY"] {
            try run("PRAGMA \(pragma)")
        }
    }

    /// Runs a statement and passes each row of the result to the closure.
    func run(
        _ sql: String, _ values: [SQLiteParameter] = [], _ take: (SQLiteRow) -> Void = { _ in }
    ) throws(SearchError) {
        do throws(SQLiteFailure) {
            let statement = try prepared(sql)
            defer { statement.reset() }
            try statement.bind(values)
            while try statement.step() { take(statement.row) }
        } catch {
            throw Self.failure(error.code, error.text, path)
        }
    }

    /// The row id of the row added last.
    var lastInserted: Int64 { connection.lastInserted }

    /// Runs some work as a transaction. It waits for other writing processes before it begins, so what the work reads
    /// stays valid until the end.
    func transaction<Value>(_ work: () throws(SearchError) -> Value) throws(SearchError) -> Value {
        try run("BEGIN IMMEDIATE")
        do throws(SearchError) {
            let value = try work()
            try run("COMMIT")
            return value
        } catch {
            do throws(SearchError) {
                try run("ROLLBACK")
            } catch {
                // SQLite has already rolled back; throw the first error.
            }
            throw error
        }
    }

    private func prepared(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    private static func failure(_ code: Int32, _ words: String, _ path: String) -> SearchError {
        let kind: SearchErrorCode =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_SCHEMA: .damaged
            default: .inaccessible
            }
        return SearchError(
            kind, "The search index cannot be used: \(words).", subject: path,
            hint: kind == .busy
                ? "Try again when the other command has ended." : "Delete the file; it will be rebuilt.",
            isRetryable: kind == .busy, native: NativeCode(.sqlite, Int64(code)))
    }
}
