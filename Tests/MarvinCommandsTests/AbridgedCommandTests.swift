import Testing

@testable import MarvinCommands

@Suite("A command in a log lacks its large contents")
struct AbridgedCommandTests {
    private let cover = EmbeddedCover(hash: "abc", data: Array(repeating: 7, count: 3000))
    private let time = CommandTimestamp(seconds: 1)

    @Test("The log leaves out only the images and descriptions of a change") func changes() throws {
        var book = UpdateMetadata.Book(fileName: "a.epub", uuid: "u")
        book.title = "A Title"
        book.description = "<p>Long enough</p>"
        book.cover = cover
        let command = Command.updateMetadata(UpdateMetadata(timestamp: time, books: [book]))
        guard case .updateMetadata(var abridged) = command.abridged else {
            Issue.record("another command")
            return
        }
        #expect(abridged.books[0].description == "(18 bytes)")
        #expect(command.abridged.encoded().count < 1000)
        abridged.books[0].description = book.description
        abridged.books[0].cover = cover
        #expect(Command.updateMetadata(abridged) == command)
    }

    @Test("The log leaves out the images of uploads and of partial changes") func uploadsAndPartialChanges() {
        let upload = UploadBooks(
            timestamp: time, books: [UploadBooks.Book(fileName: "a.epub", cover: cover, collections: ["NEW"])]
        )
        var item = UpdateItems.Book(BookIdentity(fileName: "a.epub"))
        item.cover = cover
        let items = UpdateItems(timestamp: time, books: [item])
        for command in [Command.uploadBooks(upload), .updateItems(items)] {
            #expect(command.encoded().count > 4000)
            #expect(command.abridged.encoded().count < 1000)
            #expect(command.abridged.fileNames == command.fileNames)
        }
    }
}
