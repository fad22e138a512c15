import CSQLite
import Foundation
import TestSupport

/// An SQLite file for one test, made by SQLite.
struct DatabaseFixture {
    let folder: TemporaryFolder
    var path: String { folder.path("fixture.sqlite") }
    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } }

    struct Failure: Error { var message: String }

    /// Makes a database with these statements, and closes the connection.
    init(_ sql: String) throws {
        folder = try TemporaryFolder()
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "open") }
        defer { sqlite3_close(handle) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}
