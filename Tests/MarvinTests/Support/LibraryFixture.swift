import CSQLite
import Foundation
import TestSupport

/// A Marvin database that a test writes with SQLite itself.
final class LibraryFixture {
    struct Failure: Error { let message: String }

    static let schema = """
        CREATE TABLE Books (ID INTEGER PRIMARY KEY, Title TEXT, Author TEXT, AuthorSort TEXT, CalibreCoverHash TEXT,
            CalibreSeries TEXT, CalibreSeriesIndex TEXT, CalibreTitleSort TEXT, DateAdded INTEGER, DatePublished,
            Description TEXT, FileName TEXT, Hash TEXT, IsRead INTEGER, NewFlag INTEGER, Publisher TEXT,
            ReadingList INTEGER, UUID TEXT, Rating REAL, Pin INTEGER, WordCount INTEGER, Progress REAL);
        CREATE TABLE BookSubjects (BookID INTEGER, Subject TEXT);
        CREATE TABLE Collections (ID INTEGER PRIMARY KEY, Name TEXT);
        CREATE TABLE BookCollections (BookID INTEGER, CollectionID INTEGER);
        CREATE TABLE Highlights (BookID INTEGER, UUID TEXT, Text TEXT, Note TEXT, NoteDateTime REAL, Colour INTEGER,
            Section INTEGER, StartXPath TEXT, StartOffset INTEGER, Deleted INTEGER);
        CREATE TABLE Bookmarks (BookID INTEGER, Colour INTEGER, Location TEXT, SectionNumber INTEGER, Text TEXT);
        """

    let path: String
    private var handle: OpaquePointer?

    /// Makes the database at `path` with the tables of Marvin, unless another schema is given.
    init(path: String, schema: String = LibraryFixture.schema, mode: String = "DELETE") throws {
        self.path = path
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
        try run("PRAGMA journal_mode=\(mode); PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=OFF")
        try run(schema)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)) + " in " + sql)
        }
    }

    /// Quotes a text as an SQL literal.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// Adds a book. Columns and values are SQL literals.
    func add(_ columns: KeyValuePairs<String, String>) throws {
        let names = columns.map(\.key).joined(separator: ", ")
        let values = columns.map(\.value).joined(separator: ", ")
        try run("INSERT INTO Books (\(names)) VALUES (\(values))")
    }

    /// Closes the database, which moves a write-ahead log into it.
    func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    deinit { close() }
}
