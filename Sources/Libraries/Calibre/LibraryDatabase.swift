import CSQLite
import HostErrors
import SQLite

/// Reads rows from a copy of a calibre library's database. For use by one thread.
///
/// The file may be damaged or malicious. Nothing in its schema is executed, nothing is written, and the size of a
/// value is limited to 16 MiB.
package final class LibraryDatabase {
    private let connection: SQLiteConnection
    private let copy: LibraryCopy
    private let source: String

    /// Opens a copy.
    ///
    /// - Parameter source: the path of the library, for messages.
    package init(_ copy: LibraryCopy, of source: String) throws(HostError) {
        // Opened for writing only because SQLite must apply a log or a journal to the copy.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        do throws(SQLiteFailure) {
            connection = try SQLiteConnection(copy.path, flags)
        } catch {
            throw Self.damaged(source, error.code, "it cannot be opened")
        }
        self.copy = copy
        self.source = source
        connection.limit([
            SQLITE_LIMIT_LENGTH: 16 << 20, SQLITE_LIMIT_EXPR_DEPTH: 50, SQLITE_LIMIT_ATTACHED: 0,
            SQLITE_LIMIT_TRIGGER_DEPTH: 1, SQLITE_LIMIT_VDBE_OP: 50_000, SQLITE_LIMIT_COMPOUND_SELECT: 2,
        ])
        for pragma in ["trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON"] {
            try rows("PRAGMA \(pragma)") { _ in }
        }
        try check()
    }

    /// Calls `take` with each row of a query.
    ///
    /// - Throws: `damaged` if the database cannot be read to the end.
    func rows(_ query: String, _ take: (SQLiteRow) -> Void) throws(HostError) {
        do throws(SQLiteFailure) {
            let statement = try connection.prepare(query)
            while try statement.step() { take(statement.row) }
        } catch {
            throw Self.damaged(source, error.code, error.text)
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

    static func damaged(_ source: String, _ code: Int32, _ words: String) -> HostError {
        HostError(
            .damaged, "The database of this calibre library cannot be read: \(words).",
            subject: source + "/metadata.db",
            hint: "Let calibre check the library: Library maintenance, Check library. Nothing was changed on "
                + "the device.",
            native: NativeCode(.sqlite, Int64(code)))
    }
}
