/// `upload_books.xml`: take the staged files into the library.
package struct UploadBooks: Hashable, Sendable {
    /// One file to take in.
    package struct Book: Hashable, Sendable {
        /// The name of the staged file, `<uuid>.epub`.
        package var fileName: String
        /// The hash of the scaled cover; `0` when it could not be computed, nil with an embedded cover or without any.
        package var coverHash: String?
        /// True to protect the book against deletion in the app; only true is ever sent.
        package var isLocked: Bool
        /// The number of words, or nil when the host does not know it.
        package var wordCount: Int?
        /// The cover to use instead of the file's own.
        package var cover: EmbeddedCover?
        /// Collections, flags among them (`NEW`, `READ`, `READING LIST`).
        package var collections: [String]

        /// A staged file with what the app should know about it beside its content.
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

    /// When the host wrote the command.
    package var timestamp: CommandTimestamp
    /// True to replace books the library already has.
    package var overwrite: Bool
    /// The books in input order.
    package var books: [Book]

    /// A command about these staged files; `overwrite` replaces books that are there.
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

    /// The bytes of the file.
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
