/// `update_metadata.xml`: replace the metadata of books. Their files are not changed.
package struct UpdateMetadata: Hashable, Sendable {
    /// The complete metadata of one book.
    package struct Book: Hashable, Sendable {
        /// The authors, joined with a comma and a space.
        package var author = ""
        /// The authors' sort keys, joined with ` & `.
        package var authorSort = ""
        /// The file's name, relative to `/Documents`.
        package var fileName = ""
        /// The day of publication; nil to omit the attribute.
        package var publicationDate: PublicationDate?
        /// The publisher; may be empty.
        package var publisher = ""
        /// The stars, 0 to 5; nil is written as `0`, and `0` is read as nil.
        package var rating: Double?
        /// The series; may be empty.
        package var series = ""
        /// The place in the series; nil and 0 are written as an empty text.
        package var seriesIndex: Double?
        /// The title.
        package var title = ""
        /// The title's sort key.
        package var titleSort = ""
        /// The book's uuid; empty if unknown.
        package var uuid = ""
        /// Whether the app protects the book; nil to omit the attribute.
        package var isLocked: Bool?
        /// The number of words; nil to omit the attribute.
        package var wordCount: Int?
        /// The description in HTML; nil to omit the element.
        package var description: String?
        /// The collections, including flags; nil to omit the element, so that the app keeps the existing ones.
        package var collections: [String]? = []
        /// The tags, written in ascending order; nil to omit the element.
        package var subjects: [String]? = []
        /// The new cover. Only sent if it differs from the current one.
        package var cover: EmbeddedCover?
        /// Unknown values, whose attributes are omitted instead of written as empty.
        package var unknown: Set<Attribute> = []

        /// Creates a book without metadata. Set its properties to add metadata.
        package init(fileName: String, uuid: String = "") {
            self.fileName = fileName
            self.uuid = uuid
        }
    }

    /// An attribute of every book in the command, unless its value is unknown. The raw value is its name.
    package enum Attribute: String, CaseIterable, Sendable {
        /// The authors.
        case author
        /// The authors' sort keys.
        case authorSort = "authorsort"
        /// The publisher.
        case publisher
        /// The stars.
        case rating
        /// The series.
        case series
        /// The place in the series.
        case seriesIndex = "seriesindex"
        /// The title.
        case title
        /// The title's sort key.
        case titleSort = "titlesort"
    }

    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// Whether the app may delete collections that become empty.
    package var cleansUpCollections: Bool
    /// The books, in any order.
    package var books: [Book]

    /// Creates a command for these books. `cleansUpCollections` lets the app delete collections that become empty.
    package init(timestamp: CommandTimestamp, cleansUpCollections: Bool = true, books: [Book]) {
        self.timestamp = timestamp
        self.cleansUpCollections = cleansUpCollections
        self.books = books
    }

    static let root = "updatemetadata"

    init(_ root: CommandFileElement) {
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        cleansUpCollections = root.flag("cleanupcollections") ?? false
        books = root.manifest.map { Book($0) }
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(
            UpdateMetadata.root,
            ["timestamp": timestamp.text, "cleanupcollections": cleansUpCollections ? "yes" : "no"])
        writer.manifest(books) { book, writer in book.write(to: &writer) }
        writer.close(UpdateMetadata.root)
        writer.newLine()
        return writer.bytes
    }
}

extension UpdateMetadata.Book {
    init(_ book: CommandFileElement) {
        self.init(fileName: book.attributes["filename"] ?? "", uuid: book.identifier("uuid"))
        author = book.attributes["author"] ?? ""
        authorSort = book.attributes["authorsort"] ?? ""
        publicationDate = book.attributes["pubdate"].flatMap { PublicationDate(text: $0.trimmingXMLSpace()) }
        publisher = book.attributes["publisher"] ?? ""
        rating = book.number("rating").flatMap { (0.0...5.0).contains($0) && $0 != 0 ? $0 : nil }
        series = book.attributes["series"] ?? ""
        seriesIndex = book.number("seriesindex").flatMap { $0 == 0 ? nil : $0 }
        title = book.attributes["title"] ?? ""
        titleSort = book.attributes["titlesort"] ?? ""
        isLocked = book.flag("locked")
        wordCount = book.count("wordcount")
        description = book.first("description")?.text
        collections = book.list("collections")
        subjects = book.list("subjects", of: "subject")
        cover = EmbeddedCover(book.first("cover"))
        unknown = Set(UpdateMetadata.Attribute.allCases.filter { book.attributes[$0.rawValue] == nil })
    }

    func write(to writer: inout CommandFileWriter) {
        func text(_ number: Double?, unset: String) -> String {
            guard let number, number.isFinite, number != 0 else { return unset }
            return "\(number)"
        }
        func known(_ attribute: UpdateMetadata.Attribute, _ value: String) -> String? {
            unknown.contains(attribute) ? nil : value
        }
        writer.open(
            "book",
            [
                "author": known(.author, author), "authorsort": known(.authorSort, authorSort),
                "filename": fileName, "pubdate": publicationDate?.description,
                "publisher": known(.publisher, publisher),
                "rating": known(.rating, text(rating, unset: "0")), "series": known(.series, series),
                "seriesindex": known(.seriesIndex, text(seriesIndex, unset: "")),
                "title": known(.title, title), "titlesort": known(.titleSort, titleSort), "uuid": uuid,
                "locked": isLocked.map { $0 ? "true" : "false" },
                "wordcount": wordCount.map(String.init),
            ])
        if let description { writer.element("description", description) }
        if let collections { writer.list("collections", of: "collection", collections) }
        if let subjects {
            let sorted = subjects.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
            writer.list("subjects", of: "subject", sorted)
        }
        cover?.write(to: &writer)
        writer.close("book")
    }
}
