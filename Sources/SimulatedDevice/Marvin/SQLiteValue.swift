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
