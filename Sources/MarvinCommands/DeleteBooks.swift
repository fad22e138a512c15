/// `delete_books.xml`: remove books and the app's data about them.
package struct DeleteBooks: Hashable, Sendable {
    /// A book to remove. The app may use any attribute to find it.
    package struct Book: Hashable, Sendable {
        /// The authors, joined with a comma and a space.
        package var author: String
        /// The title.
        package var title: String
        /// The book's uuid; empty if unknown.
        package var uuid: String
        /// The file's name, relative to `/Documents`.
        package var fileName: String

        /// Creates a book. Authors are joined with a comma.
        package init(author: String, title: String, uuid: String, fileName: String) {
            self.author = author
            self.title = title
            self.uuid = uuid
            self.fileName = fileName
        }
    }

    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The books in input order.
    package var books: [Book]

    /// Creates a command for these books, which are written in this order.
    package init(timestamp: CommandTimestamp, books: [Book]) {
        self.timestamp = timestamp
        self.books = books
    }

    static let root = "deletebooks"

    init(_ root: CommandFileElement) {
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        books = root.manifest.map { book in
            Book(
                author: book.attributes["author"] ?? "", title: book.attributes["title"] ?? "",
                uuid: book.identifier("uuid"), fileName: book.attributes["filename"] ?? "")
        }
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(DeleteBooks.root, ["timestamp": timestamp.text])
        // Only this command has its first book on the manifest's line.
        writer.manifest(books, breakBeforeFirst: false) { book, writer in
            writer.open(
                "book",
                ["author": book.author, "title": book.title, "uuid": book.uuid, "filename": book.fileName])
            writer.close("book")
        }
        writer.close(DeleteBooks.root)
        writer.newLine()
        return writer.bytes
    }
}
