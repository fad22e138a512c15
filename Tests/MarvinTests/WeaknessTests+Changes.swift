import OverlayKitTesting
import Claims
import MarvinCommands
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

/// Faults of the original driver in changes of books and in the amount of data for them.
@Suite("Known faults of the original driver do not return in changes of books")
struct ChangeWeaknessTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        for number in 0..<5 { try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T \(number)") }
    }

    private func sync(_ books: [Book]) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try host.overlay().syncBooklists(books) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    /// Weakness 1 in docs/weaknesses.md.
    @Test("A change that Marvin never answers ends at the watchdog's limit, and is withdrawn")
    func endlessWait() throws {
        marvin.answers = false
        let error = try #require(throws: OverlayError.self) { try sync([Book(path: "1.epub", title: "x")]) }
        #expect(error.status == .timedOut)
        #expect(host.clock < .seconds(60))
        #expect(try marvin.staged() == ["connected.xml"])
    }

    /// Weakness 7 in docs/weaknesses.md.
    @Test(
        "A change arrives with any characters in title, collection and description",
        arguments: [
            "It's \"both\"", "&amp; &foo; <b>", "]]>", "\u{1}\u{8}control\u{FFFE}", "𝄞 😀", "line\nbreak",
            "None", "size", "uuid",
        ])
    func awkwardTexts(text: String) throws {
        let wanted = Book(
            path: "1.epub", title: text, authors: [text], description: text, tags: [text], collections: [text]
        )
        #expect(try sync([wanted]).map(\.outcome) == [.updated])
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        let arrived = try #require(books.first { $0.path == "1.epub" })
        #expect(arrived.title == BookChange.carried(text))
        #expect(arrived.collections == [try #require(BookChange.carried(text))])
        #expect(try sync([wanted]).isEmpty)
    }

    /// Weakness 10 in docs/weaknesses.md.
    @Test("A message without brackets, a message without a book and a missing message do not end the command")
    func messages() throws {
        marvin.messages = ["no brackets", "[nobody.epub] unknown", "", "[]"]
        let rows = try sync([Book(path: "1.epub", title: "x"), Book(path: "2.epub", title: "y")])
        #expect(rows.map(\.outcome) == [.updated, .updated])
        #expect(rows[0].message?.contains("'no brackets', '[nobody.epub] unknown'") == true)
    }

    /// Weakness 15 in docs/weaknesses.md.
    @Test("A value that equals a column name is stored as a value")
    func columnNames() throws {
        for name in ["size", "title", "uuid", "FileName", "rowid"] {
            try marvin.library.add([
                "FileName": "'\(name).epub'", "Title": "'\(name)'", "Author": "'\(name)'",
                "UUID": "'\(name)'",
            ])
            try Data("x".utf8).write(to: host.url("Documents/\(name).epub"))
        }
        var books: [Book] = []
        try host.overlay().books(BooksOptions()) { books.append($0) }
        for name in ["size", "title", "uuid", "FileName", "rowid"] {
            let book = try #require(books.first { $0.path == "\(name).epub" })
            #expect(book.title == name && book.authors == [name] && book.uuid == name)
        }
        #expect(try sync([Book(path: "size.epub", title: "uuid")]).map(\.outcome) == [.updated])
    }

    /// Weakness 17 in docs/weaknesses.md.
    @Test(
        "While one host changes books, another waits with every command",
        arguments: ["change", "deletion", "upload"])
    func turns(what: String) throws {
        var other: OverlayError?
        marvin.onCommand = { [unowned host, unowned marvin] _ in
            marvin.onCommand = { _ in }
            attempt {
                let overlay = try host.overlay()
                let item = try host.item("u-9")
                other = #expect(throws: OverlayError.self) {
                    switch what {
                    case "change": try overlay.syncBooklists([Book(path: "2.epub", title: "y")]) { _ in }
                    case "deletion": try overlay.deleteBooks(["2.epub"]) { _ in }
                    default: try overlay.uploadBooks([item], options: UploadOptions()) { _ in }
                    }
                }
            }
        }
        #expect(try sync([Book(path: "1.epub", title: "x")]).map(\.outcome) == [.updated])
        #expect(other?.status == .busy && other?.retryable == true)
        #expect(host.clock >= .seconds(30))
        #expect(host.progress.contains { $0.phase == "Waiting for another program" })
        #expect(marvin.commands.count == 1)
        #expect(try marvin.staged() == ["connected.xml"])
        // When the first has finished, the other has its turn.
        host.ended.formUnion(host.names)
        #expect(try sync([Book(path: "2.epub", title: "y")]).map(\.outcome) == [.updated])
    }

    /// Weakness 21 in docs/weaknesses.md.
    @Test("An Apple device of any model is accepted, and the named one of several is chosen")
    func anyModel() throws {
        let overlay = try host.overlay()
        let others = [
            Fingerprint(vendorID: 0x18D1, serial: "x"),
            Fingerprint(vendorID: 0x05AC, productID: 0xFFFE, serial: "y"),
        ]
        let ours = Fingerprint(vendorID: 0x05AC, productID: 0x9999, serial: "00008020001122334455002E")
        #expect(try overlay.isUSBConnected(others + [ours], presenceOnly: false) == 2)
        #expect(try overlay.isUSBConnected(others, presenceOnly: true) == nil)
    }

    /// Weakness 22 in docs/weaknesses.md.
    @Test("A listing requests all books and all covers in batches, and reads the library once")
    func listing() throws {
        let covers = "Library/Application Support/com.appstafarian.marvin.covers"
        try FileManager.default.createDirectory(at: host.url(covers), withIntermediateDirectories: true)
        for number in 5..<200 { try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T \(number)") }
        for number in 0..<200 {
            try marvin.library.run("UPDATE Books SET Hash = 'h\(number)' WHERE FileName = '\(number).epub'")
            try Data(SyncingTests.image).write(to: host.url("\(covers)/h\(number).jpg"))
        }
        host.resetCounts()
        var covered = 0
        try host.overlay().books(BooksOptions(withCovers: true)) { book in
            covered += book.coverData == SyncingTests.image ? 1 : 0
        }
        #expect(covered == 200)
        // The original sent six requests for each book. Here it is one, and three for each cover.
        #expect(host.requests < 200 * 4 + 60, "\(host.requests)")
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count == 1)
        // All files and all covers are requested at once.
        #expect(host.batches.filter { $0.operation == "stat" && $0.count >= 200 }.map(\.count) == [200])
        #expect(host.batches.filter { $0.operation == "read_many" && $0.count > 3 }.map(\.count) == [200])
    }

    /// Weakness 22 in docs/weaknesses.md.
    @Test("A change to a few books sends no requests for the others")
    func roundTrips() throws {
        for number in 5..<200 { try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T \(number)") }
        host.resetCounts()
        #expect(try sync([Book(path: "1.epub", title: "x")]).count == 1)
        #expect(host.requests < 150, "\(host.requests)")
        #expect(
            !host.operations.contains { $0.hasPrefix("stat /Documents/1") && $0 != "stat /Documents/1.epub" })
    }

    /// Weakness 24 in docs/weaknesses.md.
    @Test(
        "A change to many books copies the library twice, and once more for each further command",
        arguments: [(100, 1), (2, 3)])
    func copies(batch: Int64, commands: Int) throws {
        host.integers["upload_batch_size"] = batch
        let rows = try sync((0..<5).map { Book(path: "\($0).epub", title: "New") })
        #expect(rows.count == 5 && marvin.updates.count == commands)
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count == commands + 1)
    }

    /// Weakness 25 in docs/weaknesses.md.
    @Test("A command is polled several times a second, and no more often than necessary")
    func polling() throws {
        #expect(try sync([Book(path: "1.epub", title: "x")]).count == 1)
        #expect(host.clock < .milliseconds(500), "\(host.clock)")
        #expect(host.waits.first == .milliseconds(20))
    }

    @Test("Files of every size are requested as a whole, not in small pieces") func wholeFiles() throws {
        try Data(count: 5_000_000).write(to: host.url("Documents/1.epub"))
        host.resetCounts()
        var received = 0
        try host.overlay().getFile("1.epub") { chunk, _, _ in received += chunk.count }
        #expect(received == 5_000_000)
        #expect(host.operations.count == 2)
    }

    /// Weakness 30 in docs/weaknesses.md.
    @Test("Many files are passed to the transport at once, so that its connections stay busy")
    func pipelining() throws {
        host.resetCounts()
        let rows = try host.upload((0..<20).map { try host.item("n-\($0)") }).rows
        #expect(rows.allSatisfy { $0.outcome == .added })
        let pushes = host.operations.indices.filter { host.operations[$0].hasPrefix("push") }
        let (first, last) = (try #require(pushes.first), try #require(pushes.last))
        #expect(pushes.count == 20 && last - first == 19)
    }
}
