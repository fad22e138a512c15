/// `rebuild_collections.xml`: replace the collections and flags of books.
package struct RebuildCollections: Hashable, Sendable {
    /// A book with all its new collections.
    package struct Book: Hashable, Sendable {
        /// The file's name, relative to `/Documents`.
        package var fileName: String
        /// The title.
        package var title: String
        /// The authors, joined with a comma and a space.
        package var author: String
        /// The book's uuid; empty if unknown.
        package var uuid: String
        /// The collections, including flags. The book is removed from other collections.
        package var collections: [String]

        /// Creates a book with all its collections and flags, which replace the existing ones.
        package init(fileName: String, title: String, author: String, uuid: String, collections: [String]) {
            self.fileName = fileName
            self.title = title
            self.author = author
            self.uuid = uuid
            self.collections = collections
        }
    }

    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The books with changed collections, in any order.
    package var books: [Book]

    /// Creates a command for these books, which are written in this order.
    package init(timestamp: CommandTimestamp, books: [Book]) {
        self.timestamp = timestamp
        self.books = books
    }

    static let root = "rebuildcollections"

    init(_ root: CommandFileElement) {
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        books = root.manifest.map { book in
            Book(
                fileName: book.attributes["filename"] ?? "", title: book.attributes["title"] ?? "",
                author: book.attributes["author"] ?? "", uuid: book.identifier("uuid"),
                collections: book.list("collections") ?? [])
        }
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(RebuildCollections.root, ["timestamp": timestamp.text])
        writer.manifest(books) { book, writer in
            writer.open(
                "book",
                ["filename": book.fileName, "title": book.title, "author": book.author, "uuid": book.uuid])
            writer.list("collections", of: "collection", book.collections)
            writer.close("book")
        }
        writer.close(RebuildCollections.root)
        writer.newLine()
        return writer.bytes
    }
}
