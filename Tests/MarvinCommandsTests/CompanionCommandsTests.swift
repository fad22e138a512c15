import Testing

@testable import MarvinCommands

@Suite("The companion's commands have the same form as its own files")
struct CompanionCommandsTests {
    private let time = CommandTimestamp(seconds: 1)

    @Test("A command about books names them in a manifest", arguments: AppCommand.Kind.all)
    func books(kind: AppCommand.Kind) throws {
        let book = BookIdentity(fileName: "a [1].epub", uuid: "u", title: "\"both'", author: "A & B")
        let command = AppCommand(kind, timestamp: time, .books([book]))
        let text = String(decoding: command.encoded(), as: UTF8.self)
        #expect(text.contains("<command type=\"\(kind.rawValue)\" timestamp=\"1.0\">\n<manifest>\n<book "))
        #expect(try Command(decoding: command.encoded()) == .app(command))
        #expect(Command.app(command).fileNames == ["a [1].epub"])
        #expect(command.parameter("name") == nil)
    }

    @Test("A command with parameters keeps their order, spaces and duplicates")
    func parameters() throws {
        let command = AppCommand(
            .firstOccurrence, timestamp: time,
            .parameters([.init("bookID", " 7 "), .init("hits", "3"), .init("hits", "<4>")]))
        #expect(try Command(decoding: command.encoded()) == .app(command))
        #expect(command.parameter("hits") == "3")
        #expect(command.books.isEmpty)
    }

    @Test("A command of an unknown type is read")
    func unknownType() throws {
        let command = AppCommand(AppCommand.Kind(rawValue: "Dance"), timestamp: time)
        #expect(try Command(decoding: command.encoded()) == .app(command))
        #expect(ResponseFile(command.kind) == nil)
    }

    @Test("A partial update contains only what it changes")
    func partialUpdate() throws {
        var book = UpdateItems.Book(BookIdentity(fileName: "a.epub"))
        book.collections = []
        let command = UpdateItems(timestamp: time, books: [book])
        let text = String(decoding: command.encoded(), as: UTF8.self)
        #expect(
            text.contains(
                #"<book author="" filename="a.epub" title="" uuid=""><collections></collections></book>"#))
        guard case .updateItems(let read) = try Command(decoding: command.encoded()) else {
            Issue.record("another command was read")
            return
        }
        #expect(read.books[0].rating == nil && read.books[0].wordCount == nil)
        #expect(read.books[0].collections == [] && read.books[0].cover == nil)
    }

    @Test("A rating or a count outside its range is left out")
    func ranges() throws {
        let file =
            "<updatemetadataitems><manifest><book filename='a' rating='9' wordcount='-3'/></manifest></updatemetadataitems>"
        guard case .updateItems(let read) = try Command(decoding: Array(file.utf8)) else {
            Issue.record("another command was read")
            return
        }
        #expect(read.books[0].rating == nil && read.books[0].wordCount == nil)
    }

    @Test("Pages and manifests are answered in the staging folder, a backup among the user's documents")
    func responses() {
        #expect(ResponseFile(.globalVocabulary) == .staged("html_response.html"))
        #expect(ResponseFile(.backupManifest) == .staged("backup.xml"))
        #expect(ResponseFile(.backup) == .document("Backup/marvin.backup"))
        #expect(ResponseFile(.lockBooks) == nil)
    }

    @Test("A slow step of an app gets more time, but the total limit stays the same")
    func patience() {
        let timing = CommandTiming.standard.patient
        #expect(timing.watchdog == .seconds(300))
        #expect(timing.total == CommandTiming.standard.total)
    }

    @Test("A cover that is not base 64 is left out")
    func cover() {
        #expect(EmbeddedCover(hash: "h", base64: "/9j/4AAQ")?.data == [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10])
        #expect(EmbeddedCover(hash: "h", base64: "not base 64!") == nil)
        #expect(EmbeddedCover(hash: "h", base64: "") == nil)
    }
}
