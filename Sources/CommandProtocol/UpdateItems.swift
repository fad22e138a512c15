/// `update_metadata_items.xml`: change single things the library says about books; what is absent is left alone.
///
/// The companion of the original driver sends it; an ordinary update replaces everything.
package struct UpdateItems: Hashable, Sendable {
    /// What changes about one book.
    package struct Book: Hashable, Sendable {
        /// What the app finds the book by.
        package var identity: BookIdentity
        /// Stars, 0 to 5; nil leaves them alone.
        package var rating: Double?
        /// The number of words; nil leaves it alone.
        package var wordCount: Int?
        /// The new uuid; nil leaves it alone.
        package var newUUID: String?
        /// All collections and flags that the book gets; nil leaves them alone.
        package var collections: [String]?
        /// The new cover; nil leaves it alone.
        package var cover: EmbeddedCover?

        /// A book of which nothing changes; fill in the properties.
        package init(_ identity: BookIdentity) {
            self.identity = identity
        }
    }

    /// When the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The books; the order has no meaning.
    package var books: [Book]

    /// A command about these books.
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

    /// The bytes of the file.
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
