import CSQLite
import OverlayKit

/// Why a database that came from a device could not be read.
package struct DatabaseFailure: Error, Equatable {
    /// The kind of failure; an open set.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        package let rawValue: String

        /// A kind by its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are no sound SQLite database, or not one that its app writes.
        package static let damaged = Code(rawValue: "damaged")
        /// The host could not store or open its own copy.
        package static let hostIO = Code(rawValue: "hostIO")
        /// The running method was cancelled while SQLite worked.
        package static let cancelled = Code(rawValue: "cancelled")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for a person.
    package let message: String
    /// SQLite's extended result code, or 0 when the finding is ours.
    package let sqliteCode: Int32

    /// A finding of our own about the content of the database.
    package static func damaged(_ message: String) -> DatabaseFailure {
        DatabaseFailure(code: .damaged, message: message, sqliteCode: 0)
    }
}

extension DatabaseFailure {
    /// The failure for what SQLite just answered on `handle`, which may be nil when it could not even be opened.
    ///
    /// - Parameter name: what the database is called, at the beginning of a sentence.
    init(sqlite result: Int32, handle: OpaquePointer?, name: String) {
        let detail =
            handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        switch result & 0xff {
        case SQLITE_INTERRUPT:
            self.init(code: .cancelled, message: "The reading was cancelled.", sqliteCode: result)
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_READONLY, SQLITE_NOMEM:
            self.init(
                code: .hostIO, message: "\(name) could not be read from its copy (SQLite: \(detail)).",
                sqliteCode: result)
        default:
            self.init(
                code: .damaged, message: "\(name) is damaged (SQLite: \(detail)).", sqliteCode: result)
        }
    }
}

extension OverlayError {
    /// What the reader of a database found, as the host understands it.
    package init(_ failure: DatabaseFailure, subject: String) {
        let status: OverlayStatus =
            switch failure.code {
            case .damaged: .damaged
            case .cancelled: .cancelled
            default: .hostIO
            }
        self.init(
            status, failure.message, subject: subject, domain: failure.sqliteCode == 0 ? .none : .sqlite,
            nativeCode: Int64(failure.sqliteCode))
    }
}
