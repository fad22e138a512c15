/// `upload_books.xml`: add the staged files to the library.
package struct UploadBooks: Hashable, Sendable {
    /// A file to add.
    package struct Book: Hashable, Sendable {
        /// The name of the staged file, `<uuid>.epub`.
        package var fileName: String
        /// The hash of the scaled cover; `0` if it could not be computed; nil with an embedded cover or without a
        /// cover.
        package var coverHash: String?
        /// Whether to protect the book against deletion in the app. Only true is sent.
        package var isLocked: Bool
        /// The number of words; nil if unknown.
        package var wordCount: Int?
        /// The cover to use instead of the file's own.
        package var cover: EmbeddedCover?
        /// The collections, including flags (`NEW`, `READ`, `READING LIST`).
        package var collections: [String]

        /// Creates a book from a staged file and metadata that is not in the file.
        package init(
            fileName: String, coverHash: String? = nil, isLocked: Bool = false, wordCount: Int? = nil,
            cover: EmbeddedCover? = nil, collections: [String] = []
        ) {
            self.fileName = fileName
            self.coverHash = coverHash
            self.isLocked = isLocked
            self.wordCount = wordCount
            self.cover = cover
            self.collections = collections
        }
    }

    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// Whether to replace existing books in the library.
    package var overwrite: Bool
    /// The books in input order.
    package var books: [Book]

    /// Creates a command for these staged files. `overwrite` replaces existing books.
    package init(timestamp: CommandTimestamp, overwrite: Bool = false, books: [Book]) {
        self.timestamp = timestamp
        self.overwrite = overwrite
        self.books = books
    }

    static let root = "uploadbooks"

    init(_ root: CommandFileElement) {
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        overwrite = root.flag("overwrite") ?? false
        books = root.manifest.map { book in
            Book(
                fileName: book.attributes["filename"] ?? "", coverHash: book.attributes["coverhash"],
                isLocked: book.flag("locked") ?? false, wordCount: book.count("wordcount"),
                cover: EmbeddedCover(book.first("cover")), collections: book.list("collections") ?? [])
        }
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(UploadBooks.root, ["timestamp": timestamp.text, "overwrite": overwrite ? "yes" : "no"])
        writer.manifest(books) { book, writer in
            writer.open(
                "book",
                [
                    "filename": book.fileName, "coverhash": book.coverHash,
                    "locked": book.isLocked ? "true" : nil, "wordcount": book.wordCount.map(String.init),
                ])
            book.cover?.write(to: &writer)
            writer.list("collections", of: "collection", book.collections)
            writer.close("book")
        }
        writer.close(UploadBooks.root)
        writer.newLine()
        return writer.bytes
    }
}
