import Diagnostics
import DeviceDatabases
import Foundation
import Testing

@Suite("Databases from a device are read, and can do no harm")
struct DeviceDatabaseTests {
    private func texts(_ database: DeviceDatabase, _ sql: String) throws -> [String?] {
        var found: [String?] = []
        try database.rows(sql, limit: 1_000) { row throws(DatabaseError) in found.append(try row.text(0)) }
        return found
    }

    private func failure(_ body: () throws -> Void) -> DatabaseError? {
        #expect(throws: DatabaseError.self) { try body() }
    }

    @Test("A file and its bytes in memory give the same rows")
    func sameRows() throws {
        let fixture = try DatabaseFixture(
            "CREATE TABLE a (x TEXT, n, b BLOB); INSERT INTO a VALUES ('one', 1, x'00ff'), ('two', '2.5', NULL)"
        )
        let databases = [
            try DeviceDatabase(path: fixture.path, name: "It", byteBudget: 1_000),
            try DeviceDatabase(bytes: try fixture.bytes, name: "It", byteBudget: 1_000),
        ]
        for database in databases {
            #expect(try database.tables() == ["a": true])
            #expect(try database.columns(of: "a") == ["x", "n", "b"])
            var rows: [(String?, Double?, [UInt8]?)] = []
            try database.readableRows(of: "a", ["t.x", "t.n", "t.b"], limit: 10) {
                row throws(DatabaseError) in
                rows.append((try row.text(0), try row.number(1), try row.bytes(2)))
            }
            #expect(rows.map(\.0) == ["one", "two"] && rows.map(\.1) == [1, 2.5])
            #expect(rows.map(\.2) == [[0, 255], nil])
        }
    }

    @Test("A file that was last used with a log is read from memory without it")
    func formerLog() throws {
        let fixture = try DatabaseFixture(
            "PRAGMA journal_mode = WAL; CREATE TABLE a (x); INSERT INTO a VALUES ('kept')")
        let database = try DeviceDatabase(bytes: try fixture.bytes, name: "It", byteBudget: 1_000)
        #expect(try texts(database, "SELECT t.x FROM a AS t") == ["kept"])
    }

    @Test(
        "Invalid or truncated databases are refused or read as far as possible, and never crash the program")
    func cut() throws {
        #expect(
            failure { _ = try DeviceDatabase(bytes: [1, 2, 3], name: "It", byteBudget: 10) }?.code == .damaged
        )
        let bytes = try DatabaseFixture(
            "CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('one'), ('two')"
        ).bytes
        for count in stride(from: 100, to: bytes.count, by: 97) {
            do {
                let cut = try DeviceDatabase(bytes: Array(bytes[..<count]), name: "It", byteBudget: 1_000)
                let found = try texts(cut, "SELECT t.x FROM a AS t")
                #expect(found.count <= 2)
            } catch let error as DatabaseError {
                #expect(error.message.contains("It "))
            }
        }
    }

    @Test("Nothing of the schema is executed: views are not plain tables, and functions are refused")
    func hostileSchema() throws {
        let fixture = try DatabaseFixture(
            """
            CREATE TABLE real (x); INSERT INTO real VALUES ('a');
            CREATE VIEW seen AS SELECT randomblob(1000000000) AS x FROM real;
            """)
        let database = try DeviceDatabase(path: fixture.path, name: "It", byteBudget: 1_000)
        #expect(try database.tables() == ["real": true, "seen": false])
        #expect(failure { _ = try texts(database, "SELECT t.x FROM seen AS t") } != nil)
        #expect(failure { _ = try texts(database, "SELECT upper(t.x) FROM real AS t") } != nil)
        #expect(failure { _ = try texts(database, "DELETE FROM real") } != nil)
    }

    @Test("More data or rows than were allowed end the reading")
    func budgets() throws {
        let fixture = try DatabaseFixture(
            "CREATE TABLE a (x); INSERT INTO a VALUES (hex(zeroblob(300))), (hex(zeroblob(300)))")
        let poor = try DeviceDatabase(path: fixture.path, name: "It", byteBudget: 1_000)
        #expect(
            failure { _ = try texts(poor, "SELECT t.x FROM a AS t") }?.message.contains("expands") == true)
        let rich = try DeviceDatabase(path: fixture.path, name: "It", byteBudget: 100_000)
        #expect(
            failure {
                try rich.rows("SELECT t.x FROM a AS t", limit: 1) { _ throws(DatabaseError) in }
            }?.message.contains("more than 1 rows") == true)
    }

    @Test("A row too large for any statement hides none of the others")
    func hugeRow() throws {
        let fixture = try DatabaseFixture(
            """
            CREATE TABLE a (x); INSERT INTO a VALUES ('before'), (zeroblob(20000000)), ('after');
            """)
        let database = try DeviceDatabase(path: fixture.path, name: "It", byteBudget: 1_000)
        var found: [String?] = []
        let passed = try database.readableRows(of: "a", ["t.x"], limit: 10) { row throws(DatabaseError) in
            found.append(try row.text(0))
        }
        #expect(found == ["before", "after"] && passed == 1)
    }
}
