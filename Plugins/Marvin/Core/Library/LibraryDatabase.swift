import CSQLite

/// A private copy of Marvin's database, opened so that a hostile one can do no harm.
///
/// The file came from a device and may hold anything: views or virtual tables under the names of tables, texts of a
/// gigabyte, trees that visit the same page a million times. So nothing of its schema is executed (`trusted_schema`
/// off, an authorizer that allows reading named columns and nothing else), and rows and decoded bytes are counted.
/// It is opened for writing only because SQLite needs that to take over a write-ahead log; no statement writes.
final class LibraryDatabase {
    private let handle: OpaquePointer
    /// Bytes of text and blobs that may still be taken out of the database.
    private var budget: Int
    /// Asked now and then while SQLite works; answers whether to give up.
    private let isCancelled: () -> Bool

    /// Opens the database at `path` on the host.
    ///
    /// - Parameters:
    ///   - byteBudget: most bytes of texts and blobs that may be read in all.
    ///   - isCancelled: called on the same thread while SQLite works.
    init(path: String, byteBudget: Int, isCancelled: @escaping () -> Bool = { false }) throws(LibraryFailure)
    {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let failure = LibraryFailure(sqlite: result, handle: opened)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        budget = byteBudget
        self.isCancelled = isCancelled
        Self.limit(opened)
        for pragma in [
            "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "synchronous=OFF", "temp_store=MEMORY",
            "query_only=ON",
        ] {
            try run("PRAGMA \(pragma)")
        }
        // The handler's context is this object, which closes the connection before it goes away.
        sqlite3_progress_handler(
            opened, 20_000,
            { context in
                guard let context else { return 0 }
                let database = Unmanaged<LibraryDatabase>.fromOpaque(context).takeUnretainedValue()
                return database.isCancelled() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        sqlite3_set_authorizer(
            opened,
            { _, action, first, _, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ: return SQLITE_OK
                case SQLITE_PRAGMA:
                    guard let first else { return SQLITE_DENY }
                    let name = String(cString: first)
                    return name == "table_info" ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Bounds what a statement may cost; Marvin's library is far below each of them.
    private static func limit(_ handle: OpaquePointer) {
        for (category, most) in [
            (SQLITE_LIMIT_LENGTH, 16 << 20), (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_COLUMN, 500),
            (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_COMPOUND_SELECT, 2), (SQLITE_LIMIT_VDBE_OP, 10_000),
            (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_VARIABLE_NUMBER, 8), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] as [(Int32, Int32)] {
            sqlite3_limit(handle, category, most)
        }
    }

    /// The names, in lower case, of what the schema calls a table, and whether each is a plain one that stores rows.
    ///
    /// Views and virtual tables have no root page. Marvin itself makes two tables per book with Deep View.
    func tables() throws(LibraryFailure) -> [String: Bool] {
        var plain: [String: Bool] = [:]
        try rows("SELECT m.name, m.type, m.rootpage FROM main.sqlite_master AS m", limit: 4_000_000) {
            row throws(LibraryFailure) in
            guard let name = try row.text(0), let type = try row.text(1), type == "table" || type == "view"
            else {
                return
            }
            plain[name.lowercased()] = type == "table" && (row.key(2) ?? 0) > 0
        }
        return plain
    }

    /// The stored columns of a table, by their names in lower case. Generated and hidden columns are left out, for they
    /// would execute what the schema says.
    func columns(of table: String) throws(LibraryFailure) -> Set<String> {
        var names: Set<String> = []
        try rows("PRAGMA table_info(\"\(table)\")", limit: 10_000) { row throws(LibraryFailure) in
            if let name = try row.text(1) { names.insert(name.lowercased()) }
        }
        return names
    }

    /// Runs one statement and hands over each of its rows.
    ///
    /// - Parameters:
    ///   - values: whole numbers for the statement's parameters, in order.
    ///   - limit: most rows; more mean that the database is damaged.
    func rows(
        _ sql: String, values: [Int64] = [], limit: Int,
        _ body: (LibraryRow) throws(LibraryFailure) -> Void
    ) throws(LibraryFailure) {
        var prepared: OpaquePointer?
        var result = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard result == SQLITE_OK, let statement = prepared else {
            throw LibraryFailure(sqlite: result, handle: handle)
        }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            result = sqlite3_bind_int64(statement, Int32(index + 1), value)
            guard result == SQLITE_OK else { throw LibraryFailure(sqlite: result, handle: handle) }
        }
        var count = 0
        while true {
            result = sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw LibraryFailure(sqlite: result, handle: handle) }
            count += 1
            guard count <= limit else {
                throw .damaged("Marvin's library has more than \(limit) rows where far fewer belong.")
            }
            try body(LibraryRow(statement: statement, database: self))
        }
    }

    /// Takes `count` bytes off the budget.
    func spend(_ count: Int) throws(LibraryFailure) {
        budget -= count
        guard budget >= 0 else {
            throw .damaged("Marvin's library unfolds to more data than its file can hold.")
        }
    }

    private func run(_ sql: String) throws(LibraryFailure) {
        try rows(sql, limit: 10) { _ throws(LibraryFailure) in }
    }
}
