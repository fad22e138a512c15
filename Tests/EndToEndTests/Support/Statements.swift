import CSQLite
import Foundation

/// An error of SQLite in a test.
struct NotExecuted: Error { let message: String }

/// Runs statements on a database, which is created if it does not exist.
func execute(_ statements: String, in database: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(database, &handle) == SQLITE_OK,
        sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK
    else { throw NotExecuted(message: String(cString: sqlite3_errmsg(handle))) }
}
