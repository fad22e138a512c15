import CSQLite

/// The SQLite database of an index. Use from one thread at a time.
final class IndexDatabase {
    /// The path of an in-memory database.
    static let memory = ":memory:"

    /// A value to bind to a statement.
    enum Value {
        case text(String)
        case integer(Int64)
        case null
    }

    private let handle: OpaquePointer
    private let path: String
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the file, and creates it if it does not exist. `:memory:` gives a database in memory, for this process
    /// only.
    init(path: String) throws(SearchError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Self.failure(result, "it cannot be opened", path)
        }
        handle = opened
        self.path = path
        // Two commands may run at once; the second waits until the first has written.
        sqlite3_busy_timeout(handle, 10_000)
        do throws(SearchError) {
            // A journal is written only for a change, so an unchanged index is opened without writing.
            for pragma in ["trusted_schema=OFF", "synchronous=NORMAL", "temp_store=MEMORY"] {
                try run("PRAGMA \(pragma)")
            }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs a statement and passes each row of the result to the closure.
    func run(
        _ sql: String, _ values: [Value] = [], _ take: (Row) -> Void = { _ in }
    ) throws(SearchError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (place, value) in values.enumerated() {
            let index = Int32(place + 1)
            let result =
                switch value {
                case .integer(let number): sqlite3_bind_int64(statement, index, number)
                case .null: sqlite3_bind_null(statement, index)
                case .text(let text): Self.bind(text, statement, index)
                }
            guard result == SQLITE_OK else { throw failure(result) }
        }
        while true {
            let result = sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw failure(result) }
            take(Row(statement: statement))
        }
    }

    /// The row id of the row added last.
    var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }

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

    /// One row of a result; valid only while the closure runs.
    struct Row {
        fileprivate let statement: OpaquePointer

        /// The column as text; empty for NULL.
        func text(_ column: Int32) -> String {
            guard let bytes = sqlite3_column_text(statement, column) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        /// The column as an integer; 0 for NULL.
        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        /// The column as a floating-point number; 0 for NULL.
        func number(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
    }

    private static func bind(_ text: String, _ statement: OpaquePointer, _ index: Int32) -> Int32 {
        var text = text
        // SQLite copies the bytes before the call returns.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(statement, index, 0) }
                return sqlite3_bind_text(statement, index, start, Int32(clamping: bytes.count), copies)
            }
        }
    }

    private func prepared(_ sql: String) throws(SearchError) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard result == SQLITE_OK, let statement = prepared else { throw failure(result) }
        statements[sql] = statement
        return statement
    }

    private func failure(_ code: Int32) -> SearchError {
        Self.failure(code, String(cString: sqlite3_errmsg(handle)), path)
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
