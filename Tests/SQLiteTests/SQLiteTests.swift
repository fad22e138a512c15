import CSQLite
import SQLite
import Testing

@Suite("SQLite is used through one connection, its statements and rows")
struct SQLiteTests {
    private static let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX

    private func open() throws -> SQLiteConnection { try SQLiteConnection(":memory:", Self.flags) }

    @Test("Parameters come back with their type and value", arguments: ["", "a", "a\0b", "üñ", "'; --"])
    func texts(text: String) throws {
        let statement = try open().prepare(
            "SELECT ?1, typeof(?1), ?2, typeof(?3)", [.text(text), .integer(.min), .null])
        #expect(try statement.step())
        let row = statement.row
        #expect(row.text(0).map { Array($0.utf8) } == Array(text.utf8))
        #expect(row.size(0) == text.utf8.count && row.text(1) == "text")
        #expect(row.integer(2) == .min && row.text(3) == "null")
        #expect(try !statement.step())
    }

    @Test("NULL is nil, and 0 as an integer")
    func null() throws {
        let statement = try open().prepare("SELECT NULL, x'', 1e999, 0.5")
        #expect(try statement.step())
        let row = statement.row
        #expect(row.text(0) == nil && row.bytes(0) == nil && row.utf8(0) == nil && row.number(0) == nil)
        #expect(row.integer(0) == 0 && row.size(0) == 0 && row.type(0) == SQLITE_NULL)
        #expect(row.bytes(1) == nil && row.size(1) == 0 && row.type(1) == SQLITE_BLOB)
        #expect(row.number(2) == nil && row.number(3) == 0.5)
    }

    @Test("A statement runs again after a reset, without its former parameters")
    func reset() throws {
        let connection = try open()
        _ = try connection.prepare("CREATE TABLE t (a)").step()
        let statement = try connection.prepare("INSERT INTO t VALUES (?)", [.integer(7)])
        #expect(try !statement.step())
        #expect(connection.lastInserted == 1)
        statement.reset()
        #expect(try !statement.step())
        let values = try connection.prepare("SELECT typeof(a) FROM t ORDER BY rowid")
        #expect(try values.step() && values.row.text(0) == "integer")
        #expect(try values.step() && values.row.text(0) == "null")
    }

    @Test("A failure keeps the code and the description, also after other statements")
    func failures() throws {
        let connection = try open()
        do {
            _ = try connection.prepare("SELECT a FROM missing")
            Issue.record("There is no such table.")
        } catch {
            _ = try connection.prepare("SELECT 1").step()
            #expect(error.code == SQLITE_ERROR && error.text == "no such table: missing")
        }
        #expect(throws: SQLiteFailure.self) { try connection.prepare("SELECT ?", [.null, .null]) }
        #expect(throws: SQLiteFailure.self) { try SQLiteConnection("/missing/folder/file", Self.flags) }
    }

    @Test("A limit ends a statement that exceeds it")
    func limits() throws {
        let connection = try open()
        connection.limit([SQLITE_LIMIT_LENGTH: 1000])
        let statement = try connection.prepare("SELECT zeroblob(?)", [.integer(2000)])
        #expect(throws: SQLiteFailure.self) { try statement.step() }
    }

    @Test("A statement outlives the object of its connection")
    func outlives() throws {
        var connection: SQLiteConnection? = try open()
        let statement = try #require(try connection?.prepare("SELECT 'still there'"))
        connection = nil
        #expect(try statement.step() && statement.row.text(0) == "still there")
    }
}
