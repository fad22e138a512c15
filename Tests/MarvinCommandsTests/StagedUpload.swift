@testable import MarvinCommands

/// An upload of two staged books.
func upload() -> CommandExchange {
    CommandExchange(
        .uploadBooks(
            UploadBooks(
                timestamp: CommandTimestamp(seconds: 1),
                books: [
                    UploadBooks.Book(fileName: "a.epub", collections: ["NEW"]),
                    UploadBooks.Book(fileName: "b.epub", collections: ["NEW"]),
                ])),
        stagedDocuments: ["/Library/calibre/a.epub", "/Library/calibre/b.epub"],
        stagingFolder: ScriptedReader.folder)
}

/// A reader app with the files of that upload.
func stagedReader(online: Bool = true) -> ScriptedReader {
    let reader = ScriptedReader(online: online)
    reader["a.epub"] = [1]
    reader["b.epub"] = [2]
    return reader
}

/// Runs that upload against the reader app.
func run(_ reader: ScriptedReader) -> CommandOutcome {
    var exchange = upload()
    return exchange.run(on: reader)
}
