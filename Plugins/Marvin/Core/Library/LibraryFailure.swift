import CSQLite

/// Why the copy of Marvin's library could not be read.
struct LibraryFailure: Error, Equatable {
    /// The kind of failure; an open set.
    struct Code: RawRepresentable, Hashable, Sendable {
        let rawValue: String

        /// The bytes are no sound SQLite database, or not one that Marvin writes.
        static let damaged = Code(rawValue: "damaged")
        /// The host could not store or open its own copy.
        static let hostIO = Code(rawValue: "hostIO")
        /// The running method was cancelled while SQLite worked.
        static let cancelled = Code(rawValue: "cancelled")
    }

    let code: Code
    /// One sentence for a person.
    let message: String
    /// SQLite's extended result code, or 0 when the finding is ours.
    let sqliteCode: Int32
}

extension LibraryFailure {
    /// The failure for what SQLite just answered on `handle`, which may be nil when it could not even be opened.
    init(sqlite result: Int32, handle: OpaquePointer?) {
        let detail =
            handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        switch result & 0xff {
        case SQLITE_INTERRUPT:
            self.init(
                code: .cancelled, message: "The reading of the library was cancelled.", sqliteCode: result)
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_READONLY, SQLITE_NOMEM:
            self.init(
                code: .hostIO, message: "The copy of Marvin's library could not be read (SQLite: \(detail)).",
                sqliteCode: result)
        default:
            self.init(
                code: .damaged, message: "Marvin's library is damaged (SQLite: \(detail)).",
                sqliteCode: result)
        }
    }

    /// A finding of our own about the content of the database.
    static func damaged(_ message: String) -> LibraryFailure {
        LibraryFailure(code: .damaged, message: message, sqliteCode: 0)
    }
}
