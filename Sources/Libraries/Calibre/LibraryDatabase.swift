import CSQLite
import HostErrors

/// Reads rows from a copy of a calibre library's database. For use by one thread.
///
/// The file may be damaged or malicious. Nothing in its schema is executed, nothing is written, and the size of a
/// value is limited to 16 MiB.
package final class LibraryDatabase {
    private let handle: OpaquePointer
    private let copy: LibraryCopy
    private let source: String

    /// Opens a copy.
    ///
    /// - Parameter source: the path of the library, for messages.
    package init(_ copy: LibraryCopy, of source: String) throws(HostError) {
        var opened: OpaquePointer?
        // Opened for writing only because SQLite must apply a log or a journal to the copy.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = sqlite3_open_v2(copy.path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Self.damaged(source, result, "it cannot be opened")
        }
        handle = opened
        self.copy = copy
        self.source = source
        for (category, most) in [
            (SQLITE_LIMIT_LENGTH, 16 << 20), (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_VDBE_OP, 50_000),
            (SQLITE_LIMIT_COMPOUND_SELECT, 2),
        ] as [(Int32, Int32)] {
            sqlite3_limit(handle, category, most)
        }
        for pragma in ["trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON"] {
            try rows("PRAGMA \(pragma)") { _ in }
        }
        try check()
    }

    deinit { sqlite3_close_v2(handle) }

    /// One row of a result. Valid only during the call that receives it.
    struct Row {
        fileprivate let statement: OpaquePointer

        /// The text of a column; nil for NULL.
        func text(_ column: Int32) -> String? {
            guard sqlite3_column_type(statement, column) != SQLITE_NULL,
                let bytes = sqlite3_column_text(statement, column)
            else { return nil }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        /// The integer in a column; 0 for NULL.
        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        /// The number in a column; nil for NULL and for a value that is not finite.
        func number(_ column: Int32) -> Double? {
            guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
            let value = sqlite3_column_double(statement, column)
            return value.isFinite ? value : nil
        }
    }

    /// Calls `take` with each row of a query.
    ///
    /// - Throws: `damaged` if the database cannot be read to the end.
    func rows(_ query: String, _ take: (Row) -> Void) throws(HostError) {
        var prepared: OpaquePointer?
        var result = sqlite3_prepare_v2(handle, query, -1, &prepared, nil)
        guard result == SQLITE_OK, let statement = prepared else { throw failure(result) }
        defer { sqlite3_finalize(statement) }
        while true {
            result = sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw failure(result) }
            take(Row(statement: statement))
        }
    }

    /// Throws an error if rows of books are lost, because these books would seem to be removed.
    private func check() throws(HostError) {
        for table in ["books", "data"] {
            var problem: String?
            try rows("PRAGMA quick_check(\(table))") { row in
                if let text = row.text(0), text != "ok" { problem = problem ?? text }
            }
            if let problem { throw Self.damaged(source, SQLITE_CORRUPT, problem) }
        }
    }

    /// Whether a table exists. A view or a virtual table with this name does not count.
    func hasTable(_ name: String) throws(HostError) -> Bool {
        var found = false
        try rows("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'") {
            if $0.text(0) == name { found = true }
        }
        return found
    }

    private func failure(_ code: Int32) -> HostError {
        Self.damaged(source, code, String(cString: sqlite3_errmsg(handle)))
    }

    static func damaged(_ source: String, _ code: Int32, _ words: String) -> HostError {
        HostError(
            .damaged, "The database of this calibre library cannot be read: \(words).",
            subject: source + "/metadata.db",
            hint: "Let calibre check the library: Library maintenance, Check library. Nothing was changed on "
                + "the device.",
            native: NativeCode(.sqlite, Int64(code)))
    }
}
