import Foundation
import Testing

@testable import MarvinCommands

/// The values of the fixture files.
enum Golden {
    static let first = "11111111-1111-4111-8111-111111111111"
    static let second = "22222222-2222-4222-8222-222222222222"
    static let fourth = "44444444-4444-4444-8444-444444444444"

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try Array(
            Data(contentsOf: folder.appendingPathComponent("Fixtures").appendingPathComponent(name)))
    }

    static let commands: [Command] = [upload, update, delete, rebuild, items, app]

    static let upload = Command.uploadBooks(
        UploadBooks(
            timestamp: CommandTimestamp(seconds: 1_700_000_001),
            books: [
                UploadBooks.Book(
                    fileName: first + ".epub", coverHash: "9e107d9d372bb6826bd81d3542a419d6", isLocked: true,
                    wordCount: 81234, collections: ["Sea & Sky", "NEW"]),
                UploadBooks.Book(
                    fileName: second + ".epub",
                    cover: EmbeddedCover(
                        hash: "e4d909c290d0fb1ca068ffaddf22cbd0", data: [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10]),
                    collections: ["NEW"]),
            ]))

    static let update: Command = {
        var book = UpdateMetadata.Book(fileName: first + ".epub", uuid: first)
        book.author = "Ann Author, Bo Writer"
        book.authorSort = "Author, Ann & Writer, Bo"
        book.publicationDate = PublicationDate(year: 2012, month: 1, day: 1)
        book.rating = 4
        book.series = "Saga"
        book.seriesIndex = 2.5
        book.title = "It's \"both\" <here>"
        book.titleSort = "It's \"both\" <here>"
        book.description = "<p>One ]]> two</p>"
        book.collections = ["READ"]
        book.subjects = ["Art & Craft", "Zoo"]
        return .updateMetadata(
            UpdateMetadata(timestamp: CommandTimestamp(seconds: 1_700_000_002), books: [book]))
    }()

    static let delete = Command.deleteBooks(
        DeleteBooks(
            timestamp: CommandTimestamp(seconds: 1_700_000_003),
            books: [
                DeleteBooks.Book(author: "Ann Author", title: "Plain", uuid: first, fileName: first + ".epub")
            ]))

    static let rebuild = Command.rebuildCollections(
        RebuildCollections(
            timestamp: CommandTimestamp(seconds: 1_700_000_004),
            books: [
                RebuildCollections.Book(
                    fileName: "twin-a.epub", title: "Twin A", author: "Dee D", uuid: fourth,
                    collections: ["READING LIST"])
            ]))

    static let items: Command = {
        var all = UpdateItems.Book(
            BookIdentity(fileName: first + ".epub", uuid: first, title: "Plain", author: "Ann Author"))
        all.rating = 3.5
        all.wordCount = 1200
        all.newUUID = second
        all.collections = ["READ"]
        all.cover = EmbeddedCover(
            hash: "e4d909c290d0fb1ca068ffaddf22cbd0", data: [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10])
        var unrated = UpdateItems.Book(BookIdentity(fileName: second + ".epub"))
        unrated.rating = 0
        return .updateItems(
            UpdateItems(timestamp: CommandTimestamp(seconds: 1_700_000_006), books: [all, unrated]))
    }()

    static let app = Command.app(
        AppCommand(
            .updateGlobalCollections, timestamp: CommandTimestamp(seconds: 1_700_000_007),
            .parameters([
                .init("action", "rename"), .init("name", "Sea & Sky"), .init("newname", "\"Sea\""),
            ])))

    static let connection = ConnectionStatus(
        timestamp: CommandTimestamp(seconds: 1_700_000_000), state: .online, appVersion: "2.7.1",
        device: "iPad2,5", system: "8.1.3", hasPassword: false)

    static let status = CommandStatus(
        timestamp: CommandTimestamp(seconds: 1_700_000_005), code: .warnings, progress: 1,
        messages: ["[\(second).epub] reason text"])
}

@Suite("The golden files fix every byte of the protocol")
struct GoldenFilesTests {
    @Test("A command is written as in its golden file", arguments: Golden.commands)
    func commandBytes(command: Command) throws {
        #expect(command.encoded() == (try Golden.bytes(command.name.fileName)))
    }

    @Test("A golden command file is read into the command it was written from", arguments: Golden.commands)
    func commandValue(command: Command) throws {
        #expect(try Command(decoding: Golden.bytes(command.name.fileName)) == command)
    }

    @Test("The connection file is written and read as in its golden file")
    func connection() throws {
        let bytes = try Golden.bytes("connected.xml")
        #expect(Golden.connection.encoded() == bytes)
        #expect(try ConnectionStatus(decoding: bytes) == Golden.connection)
    }

    @Test("The status is written and read as in its golden file")
    func status() throws {
        let bytes = try Golden.bytes("status.xml")
        #expect(Golden.status.encoded() == bytes)
        #expect(try CommandStatus(decoding: bytes) == Golden.status)
    }

    @Test("Two books to delete stand on two lines, and no book leaves an empty manifest")
    func manifestLayout() {
        let book = DeleteBooks.Book(author: "A", title: "T", uuid: "u", fileName: "f")
        let two = String(
            decoding: DeleteBooks(timestamp: CommandTimestamp(seconds: 1), books: [book, book]).encoded(),
            as: UTF8.self)
        let line = #"<book author="A" title="T" uuid="u" filename="f"></book>"#
        #expect(two.hasSuffix("<manifest>\(line)\n\(line)\n</manifest>\n</deletebooks>\n"))
        let none = String(
            decoding: UploadBooks(timestamp: CommandTimestamp(seconds: 1), overwrite: true, books: [])
                .encoded(),
            as: UTF8.self)
        #expect(
            none.hasSuffix(
                "<uploadbooks timestamp=\"1.0\" overwrite=\"yes\">\n<manifest>\n</manifest>\n</uploadbooks>\n"
            ))
    }

    @Test("Unset values are written as the protocol requires")
    func unsetValues() throws {
        var book = UpdateMetadata.Book(fileName: "f.epub")
        book.rating = 0
        book.seriesIndex = 0
        book.isLocked = false
        book.wordCount = 12
        let command = UpdateMetadata(
            timestamp: CommandTimestamp(seconds: 1), cleansUpCollections: false, books: [book])
        let text = String(decoding: command.encoded(), as: UTF8.self)
        #expect(
            text.contains(
                #"<book author="" authorsort="" filename="f.epub" publisher="" rating="0" series="" seriesindex="" "#
                    + #"title="" titlesort="" uuid="" locked="false" wordcount="12"><collections></collections>"#
                    + #"<subjects></subjects></book>"#))
        guard case .updateMetadata(let read) = try Command(decoding: command.encoded()) else {
            Issue.record("another command was read")
            return
        }
        #expect(read.books.first?.rating == nil)
        #expect(read.books.first?.seriesIndex == nil)
        #expect(read.books.first?.publicationDate == nil)
        #expect(read.books.first?.isLocked == false)
        #expect(!read.cleansUpCollections)
    }

    @Test("Subjects are written in ascending order")
    func sortedSubjects() {
        var book = UpdateMetadata.Book(fileName: "f")
        book.subjects = ["b", "a", "Z", "ä"]
        let command = UpdateMetadata(timestamp: CommandTimestamp(seconds: 1), books: [book])
        let text = String(decoding: command.encoded(), as: UTF8.self)
        #expect(
            text.contains(
                "<subjects><subject>Z</subject><subject>a</subject><subject>b</subject><subject>ä</subject></subjects>"
            ))
    }

    @Test("The commands have the names under which an app looks for them")
    func names() {
        #expect(
            CommandName.all.map(\.fileName).sorted() == [
                "command.xml", "delete_books.xml", "rebuild_collections.xml", "update_metadata.xml",
                "update_metadata_items.xml", "upload_books.xml",
            ])
        #expect(CommandName.uploadBooks.temporaryFileName == "upload_books.tmp")
    }
}
