/// What an app finds a book by, as the companion's commands name it.
package struct BookIdentity: Hashable, Sendable {
    /// The authors, joined with a comma and a space.
    package var author: String
    /// The file's name, relative to `/Documents`.
    package var fileName: String
    /// The title.
    package var title: String
    /// The book's uuid; empty when unknown.
    package var uuid: String

    /// A book by what is known of it; the name of the file is what counts.
    package init(fileName: String, uuid: String = "", title: String = "", author: String = "") {
        self.fileName = fileName
        self.uuid = uuid
        self.title = title
        self.author = author
    }

    init(_ book: MarkupElement) {
        self.init(
            fileName: book.attributes["filename"] ?? "", uuid: book.identifier("uuid"),
            title: book.attributes["title"] ?? "", author: book.attributes["author"] ?? "")
    }
}
