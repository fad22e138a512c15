import CSQLite
import Diagnostics
import OverlayKit
import SQLite

/// Why a database that came from a device could not be read. `native` holds SQLite's extended result code, if SQLite found it.
public typealias DatabaseError = Failure<DatabaseErrorCode>

/// The kinds of ``DatabaseError``. More may be added.
public struct DatabaseErrorCode: FailureCode {
    /// The text of the code.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a valid SQLite database, or not one that its app writes.
    public static let damaged = Self(rawValue: "damaged")
    /// The host could not store or open its own copy.
    public static let hostIO = Self(rawValue: "host_io")
    /// The running method was cancelled while SQLite worked.
    public static let cancelled = Self(rawValue: "cancelled")
}

extension Failure where Code == DatabaseErrorCode {
    /// The error for content that this code, not SQLite, found damaged.
    public static func damaged(_ message: String) -> DatabaseError { DatabaseError(.damaged, message) }

    /// The error for a failure that SQLite reported.
    ///
    /// - Parameter name: the name of the database, as the beginning of a sentence.
    init(_ failure: SQLiteFailure, name: String) {
        let native = NativeCode(.sqlite, Int64(failure.code))
        switch failure.code & 0xff {
        case SQLITE_INTERRUPT:
            self.init(.cancelled, "The reading was cancelled.", native: native)
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_READONLY, SQLITE_NOMEM:
            self.init(
                .hostIO, "\(name) could not be read from its copy (SQLite: \(failure.text)).", native: native)
        default:
            self.init(.damaged, "\(name) is damaged (SQLite: \(failure.text)).", native: native)
        }
    }

    /// SQLite's primary result code; nil if SQLite did not report the error.
    var primaryCode: Int32? { native?.number.map { Int32(truncatingIfNeeded: $0 & 0xff) } }
}

extension OverlayError {
    /// Converts an error of a database into one that the host understands.
    public init(_ failure: DatabaseError, subject: String) {
        let status: OverlayStatus =
            switch failure.code {
            case .damaged: .damaged
            case .cancelled: .cancelled
            default: .hostIO
            }
        self.init(
            status, failure.message, subject: subject, domain: failure.native == nil ? .none : .sqlite,
            nativeCode: failure.native?.number ?? 0)
    }
}
