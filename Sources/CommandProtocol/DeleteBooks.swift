/// `delete_books.xml`: remove books and all the app keeps about them.
package struct DeleteBooks: Hashable, Sendable {
    /// One book to remove; every attribute helps the app to find it.
    package struct Book: Hashable, Sendable {
        /// The authors, joined with a comma and a space.
        package var author: String
        /// The title.
        package var title: String
        /// The book's uuid; empty when unknown.
        package var uuid: String
        /// The file's name, relative to `/Documents`.
        package var fileName: String

        /// A book by what the app and the person know it by; authors are joined with a comma.
        package init(author: String, title: String, uuid: String, fileName: String) {
            self.author = author
            self.title = title
            self.uuid = uuid
            self.fileName = fileName
        }
    }

    /// When the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The books in input order.
    package var books: [Book]

    /// A command about these books, in the order in which they are written.
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

    /// The bytes of the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(DeleteBooks.root, ["timestamp": timestamp.text])
        // This command alone has its first book on the manifest's own line.
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
