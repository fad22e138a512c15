import CSQLite

/// A prepared statement. For use by the thread of its connection.
package final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Binds the first parameters, in order.
    package func bind(_ values: [SQLiteParameter]) throws(SQLiteFailure) {
        for (place, value) in values.enumerated() {
            let result = value.bind(to: Int32(place + 1), of: handle)
            guard result == SQLITE_OK else { throw failure(result) }
        }
    }

    /// Continues to the next row; returns false after the last.
    package func step() throws(SQLiteFailure) -> Bool {
        let result = sqlite3_step(handle)
        guard result != SQLITE_ROW else { return true }
        guard result == SQLITE_DONE else { throw failure(result) }
        return false
    }

    /// The current row; valid until the next step or reset, and while the statement exists.
    package var row: SQLiteRow { SQLiteRow(statement: handle) }

    /// Makes the statement ready to run again, without parameters.
    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func failure(_ code: Int32) -> SQLiteFailure {
        SQLiteFailure(code, on: sqlite3_db_handle(handle))
    }
}

/// A value for a parameter of a statement.
package enum SQLiteParameter: Sendable {
    /// A text, stored as UTF-8.
    case text(String)
    /// An integer.
    case integer(Int64)
    /// NULL.
    case null

    fileprivate func bind(to index: Int32, of statement: OpaquePointer) -> Int32 {
        switch self {
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .null: return sqlite3_bind_null(statement, index)
        case .text(var text):
            // SQLite copies the bytes before the call returns.
            let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    // Without an address it would be NULL.
                    guard let start = bytes.baseAddress else {
                        return sqlite3_bind_text(statement, index, "", 0, copies)
                    }
                    return sqlite3_bind_text(statement, index, start, Int32(clamping: bytes.count), copies)
                }
            }
        }
    }
}

/// A row of a result. Values are read by the number of their column, from 0.
package struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    /// The `SQLITE_…` number of the value's type.
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(statement, column) }

    /// The value as UTF-8, valid until the next step; nil for NULL.
    package func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: size(column))
    }

    /// The value as text; nil for NULL. Damaged UTF-8 is repaired.
    package func text(_ column: Int32) -> String? {
        utf8(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a blob or text, valid until the next step; nil for NULL and for an empty value.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_column_blob(statement, column) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: size(column))
    }

    /// The size of a blob or text in bytes; 0 for NULL.
    package func size(_ column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }

    /// The value as an integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The value as a finite number; nil for NULL and other numbers.
    package func number(_ column: Int32) -> Double? {
        guard type(column) != SQLITE_NULL else { return nil }
        let value = sqlite3_column_double(statement, column)
        return value.isFinite ? value : nil
    }
}
