/// `update_metadata_items.xml`: change single values of books. Absent values are not changed.
///
/// The companion of the original driver sends it. An ordinary update replaces all values.
package struct UpdateItems: Hashable, Sendable {
    /// The changes to a book.
    package struct Book: Hashable, Sendable {
        /// Identifies the book for the app.
        package var identity: BookIdentity
        /// The stars, 0 to 5; nil to keep them.
        package var rating: Double?
        /// The number of words; nil to keep it.
        package var wordCount: Int?
        /// The new uuid; nil to keep it.
        package var newUUID: String?
        /// All new collections and flags of the book; nil to keep them.
        package var collections: [String]?
        /// The new cover; nil to keep it.
        package var cover: EmbeddedCover?

        /// Creates a book without changes. Set its properties to add changes.
        package init(_ identity: BookIdentity) {
            self.identity = identity
        }
    }

    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The books, in any order.
    package var books: [Book]

    /// Creates a command for these books.
    package init(timestamp: CommandTimestamp, books: [Book]) {
        self.timestamp = timestamp
        self.books = books
    }

    static let root = "updatemetadataitems"

    init(_ root: CommandFileElement) {
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        books = root.manifest.map { element in
            var book = Book(BookIdentity(element))
            book.rating = element.number("rating").flatMap { (0.0...5.0).contains($0) ? $0 : nil }
            book.wordCount = element.count("wordcount")
            book.newUUID = element.attributes["newuuid"].map { $0.trimmingXMLSpace() }
            book.collections = element.list("collections")
            book.cover = EmbeddedCover(element.first("cover"))
            return book
        }
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(UpdateItems.root, ["timestamp": timestamp.text])
        writer.manifest(books) { book, writer in
            writer.open(
                "book",
                [
                    "author": book.identity.author, "filename": book.identity.fileName,
                    "title": book.identity.title, "uuid": book.identity.uuid,
                    "rating": book.rating.map { "\($0)" }, "wordcount": book.wordCount.map(String.init),
                    "newuuid": book.newUUID,
                ])
            if let collections = book.collections {
                writer.list("collections", of: "collection", collections)
            }
            book.cover?.write(to: &writer)
            writer.close("book")
        }
        writer.close(UpdateItems.root)
        writer.newLine()
        return writer.bytes
    }
}
