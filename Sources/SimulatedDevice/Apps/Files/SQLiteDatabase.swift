import CSQLite
import Diagnostics

/// A connection to an SQLite database, for one thread at a time.
final class SQLiteDatabase {
    private var handle: OpaquePointer?
    private let path: String

    /// Opens the database for reading and writing. Creates it if it does not exist.
    init(_ path: String) throws(SimulationError) {
        self.path = path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            let error = failure(code, "open")
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters and without results.
    func execute(_ sql: String) throws(SimulationError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// Runs one statement and returns all its rows.
    @discardableResult
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SimulationError) -> [[SQLiteValue]] {
        var statement: OpaquePointer?
        let prepared = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard prepared == SQLITE_OK, let statement else { throw failure(prepared, sql) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let code = bind(value, to: Int32(index + 1), of: statement)
            guard code == SQLITE_OK else { throw failure(code, sql) }
        }
        var rows: [[SQLiteValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append((0..<sqlite3_column_count(statement)).map { column($0, of: statement) })
            case SQLITE_DONE:
                return rows
            case let code:
                throw failure(code, sql)
            }
        }
    }

    /// The row id of the last inserted row.
    var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    private func bind(_ value: SQLiteValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
        // SQLite copies values marked as transient, so the Swift buffers must be valid only during the call.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .real(let value): return sqlite3_bind_double(statement, index, value)
        case .text(let value):
            return Array(value.utf8).withUnsafeBytes { bytes in
                sqlite3_bind_text64(
                    statement, index,
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? SQLiteDatabase.empty,
                    UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            }
        case .blob(let value):
            return value.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    /// The address of an empty text. A null pointer would mean NULL instead.
    ///
    /// Never written to after initialization.
    private nonisolated(unsafe) static let empty: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()

    private func column(_ index: Int32, of statement: OpaquePointer) -> SQLiteValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, index) else { return .null }
            let count = Int(sqlite3_column_bytes(statement, index))
            return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, index))
            guard let data = sqlite3_column_blob(statement, index) else { return .blob([]) }
            return .blob(Array(UnsafeRawBufferPointer(start: data, count: count)))
        default: return .null
        }
    }

    private func failure(_ code: Int32, _ subject: String) -> SimulationError {
        let reason =
            handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        return SimulationError(
            .database, "SQLite failed at '\(subject)': \(reason).", subject: path,
            native: NativeCode(.sqlite, Int64(code)))
    }
}

/// A value in a database.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    var text: String? {
        switch self {
        case .text(let value): value
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .null, .blob: nil
        }
    }

    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .text(let value): Int64(value)
        case .null, .real, .blob: nil
        }
    }
}
