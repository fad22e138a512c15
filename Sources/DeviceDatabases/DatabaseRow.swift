import CSQLite
import SQLite

/// The current row of a statement; valid only while the closure that received it runs.
public struct DatabaseRow {
    let row: SQLiteRow
    let database: DeviceDatabase

    /// The value as text, or nil for NULL. Damaged UTF-8 is repaired and NUL bytes are dropped.
    public func text(_ column: Int32) throws(DatabaseError) -> String? {
        guard let bytes = row.utf8(column) else { return nil }
        try database.spend(bytes.count)
        guard bytes.contains(0) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
    }

    /// The value as bytes, or nil for NULL. A text gives its UTF-8.
    public func bytes(_ column: Int32) throws(DatabaseError) -> [UInt8]? {
        guard let bytes = row.bytes(column) else { return nil }
        try database.spend(bytes.count)
        return [UInt8](bytes)
    }

    /// The size of the value in bytes, without reading it; 0 for NULL.
    public func size(_ column: Int32) -> Int { row.size(column) }

    /// The value as a number, also if it is stored as text; nil if it is not a number.
    public func number(_ column: Int32) throws(DatabaseError) -> Double? {
        switch row.type(column) {
        case SQLITE_INTEGER: return Double(row.integer(column))
        case SQLITE_FLOAT: return row.number(column)
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
        row.type(column) == SQLITE_INTEGER ? row.integer(column) : nil
    }
}
