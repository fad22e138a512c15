import CSQLite

/// The current row of a statement; valid only while the closure that received it runs.
public struct DatabaseRow {
    let statement: OpaquePointer
    let database: DeviceDatabase

    /// The value as text, or nil for NULL. Damaged UTF-8 is repaired and NUL bytes are dropped.
    public func text(_ column: Int32) throws(DatabaseError) -> String? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL,
            let start = sqlite3_column_text(statement, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        try database.spend(count)
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard bytes.contains(0) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
    }

    /// The value as bytes, or nil for NULL. A text gives its UTF-8.
    public func bytes(_ column: Int32) throws(DatabaseError) -> [UInt8]? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL,
            let start = sqlite3_column_blob(statement, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        try database.spend(count)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The size of the value in bytes, without reading it; 0 for NULL.
    public func size(_ column: Int32) -> Int {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return 0 }
        return Int(sqlite3_column_bytes(statement, column))
    }

    /// The value as a number, also if it is stored as text; nil if it is not a number.
    public func number(_ column: Int32) throws(DatabaseError) -> Double? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return Double(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT:
            let number = sqlite3_column_double(statement, column)
            return number.isFinite ? number : nil
        case SQLITE_TEXT:
            // A number never needs more characters, so a longer text is not read.
            guard size(column) <= 64, let text = try text(column) else { return nil }
            guard let first = text.firstIndex(where: { !$0.isWhitespace }),
                let last = text.lastIndex(where: { !$0.isWhitespace }),
                let number = Double(text[first...last]), number.isFinite
            else { return nil }
            return number
        default: return nil
        }
    }

    /// The value as a key of another table; nil unless it is an integer.
    public func key(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, column)
    }
}
