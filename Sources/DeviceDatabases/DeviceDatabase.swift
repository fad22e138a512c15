import CSQLite
import SQLite

/// A database that came from a device, opened so that a hostile one cannot do harm.
///
/// It may contain anything: views or virtual tables with the names of tables, texts of a gigabyte, trees that visit
/// the same page a million times. So nothing in its schema is executed (`trusted_schema` is off, and an authorizer
/// allows only reading named columns), and rows and decoded bytes are limited. No statement writes. Use from one
/// thread.
///
/// ```swift
/// let copy = try DatabaseCopy(host, .container, "/Library/books.sqlite", name: "Nova's library")
/// let database = try DeviceDatabase(path: copy.path, name: "Nova's library", byteBudget: 64 << 20)
/// try database.readableRows(of: "Books", ["t.\"Title\""], limit: 100_000) { row throws(DatabaseError) in
///     titles.append(try row.text(0) ?? "")
/// }
/// ```
public final class DeviceDatabase {
    /// What the database is called, as the beginning of a sentence.
    public let name: String
    let connection: SQLiteConnection
    /// How many more bytes of text and blobs may be read from the database.
    private var budget: Int
    /// Called from time to time while SQLite works; returns whether to stop.
    private let isCancelled: () -> Bool

    /// Opens a private copy on the host.
    ///
    /// It is opened for writing only because SQLite needs that to apply a write-ahead log.
    /// - Parameters:
    ///   - path: the path of the copy's main file.
    ///   - name: what the database is called, as the beginning of a sentence.
    ///   - byteBudget: the most bytes of texts and blobs that may be read in total.
    ///   - isCancelled: called on the same thread while SQLite works.
    public init(
        path: String, name: String, byteBudget: Int, isCancelled: @escaping () -> Bool = { false }
    ) throws(DatabaseError) {
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        self.name = name
        connection = try Self.open(path, flags, name)
        budget = byteBudget
        self.isCancelled = isCancelled
        try secure()
    }

    /// The size of a database file in bytes, from the header at its beginning; nil if the bytes are not a database.
    public static func size(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3".utf8) + [0]) else { return nil }
        func number(_ places: Range<Int>) -> Int { bytes[places].reduce(0) { $0 << 8 | Int($1) } }
        // 1 stands for 65,536, the only size that does not fit into two bytes.
        let page = number(16..<18) == 1 ? 65_536 : number(16..<18)
        guard (512...65_536).contains(page), page.nonzeroBitCount == 1 else { return nil }
        return page * number(28..<32)
    }

    /// Opens the bytes of a database file in memory, without a log.
    ///
    /// The beginning of a file is enough: the pages after it count as damaged, and all others can be read.
    ///
    /// - Parameters:
    ///   - bytes: the file or its beginning.
    ///   - name: what the database is called, as the beginning of a sentence.
    ///   - byteBudget: the most bytes of texts and blobs that may be read in total.
    public init(bytes: [UInt8], name: String, byteBudget: Int) throws(DatabaseError) {
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        self.name = name
        connection = try Self.open(":memory:", flags, name)
        budget = byteBudget
        isCancelled = { false }
        guard let size = Self.size(in: bytes), let memory = sqlite3_malloc64(UInt64(bytes.count)) else {
            throw .damaged("\(name) is not a database.")
        }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        let start = memory.assumingMemoryBound(to: UInt8.self)
        let count = Self.cut(start, bytes.count, of: size)
        // Two bytes of the header say whether the file was last used with a log. Changing them lets SQLite read it
        // without one.
        for place in [18, 19] where start[place] == 2 { start[place] = 1 }
        // From here on the connection owns the memory, even if this call fails.
        let result = sqlite3_deserialize(
            connection.handle, "main", start, count, count,
            UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
        guard result == SQLITE_OK else {
            throw DatabaseError(SQLiteFailure(result, on: connection.handle), name: name)
        }
        try secure()
    }

    /// Adjusts the beginning of a database so that it is complete: SQLite refuses a file that is shorter than its
    /// header says.
    ///
    /// - Returns: the number of bytes to use.
    private static func cut(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, of size: Int) -> Int64 {
        guard size > count else { return Int64(count) }
        let page = Int(start[16]) << 8 | Int(start[17])
        let pages = count / (page == 1 ? 65_536 : page)
        for place in 0..<4 { start[28 + place] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * place)) }
        return Int64(pages * (page == 1 ? 65_536 : page))
    }

    private static func open(_ path: String, _ flags: Int32, _ name: String) throws(DatabaseError)
        -> SQLiteConnection
    {
        do throws(SQLiteFailure) {
            return try SQLiteConnection(path, flags)
        } catch {
            throw DatabaseError(error, name: name)
        }
    }

    private func secure() throws(DatabaseError) {
        limit()
        for pragma in [
            "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "synchronous=OFF", "temp_store=MEMORY",
            "query_only=ON",
        ] {
            try rows("PRAGMA \(pragma)", limit: 10) { _ throws(DatabaseError) in }
        }
        // The context of the handler is this object, which outlives all statements of the connection.
        sqlite3_progress_handler(
            connection.handle, 20_000,
            { context in
                guard let context else { return 0 }
                let database = Unmanaged<DeviceDatabase>.fromOpaque(context).takeUnretainedValue()
                return database.isCancelled() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        sqlite3_set_authorizer(
            connection.handle,
            { _, action, first, _, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ: return SQLITE_OK
                case SQLITE_PRAGMA:
                    guard let first else { return SQLITE_DENY }
                    return String(cString: first) == "table_info" ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
    }

    /// Limits what a statement may cost. Databases of reader apps stay far below each limit.
    private func limit() {
        connection.limit([
            SQLITE_LIMIT_LENGTH: 16 << 20, SQLITE_LIMIT_SQL_LENGTH: 100_000, SQLITE_LIMIT_COLUMN: 500,
            SQLITE_LIMIT_EXPR_DEPTH: 50, SQLITE_LIMIT_COMPOUND_SELECT: 2, SQLITE_LIMIT_VDBE_OP: 10_000,
            SQLITE_LIMIT_FUNCTION_ARG: 8, SQLITE_LIMIT_ATTACHED: 0, SQLITE_LIMIT_TRIGGER_DEPTH: 1,
            SQLITE_LIMIT_VARIABLE_NUMBER: 8, SQLITE_LIMIT_WORKER_THREADS: 0,
        ])
    }

    /// Subtracts `count` bytes from the budget.
    func spend(_ count: Int) throws(DatabaseError) {
        budget -= count
        guard budget >= 0 else {
            throw .damaged("\(name) expands to more data than its file can contain.")
        }
    }
}
