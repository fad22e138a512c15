/// One book as the reader app knows it, or as the host wants it to be; the Swift form of `ovl_book`.
///
/// A value that is nil is unknown. An empty text or list is known to be empty. ``fields`` is the table of all values.
///
/// ```swift
/// let book = Book(path: "/Documents/emma.epub", title: "Emma", authors: ["Jane Austen"])
/// let newEdition = book.overridden(by: Book(title: "Emma, annotated"))
/// print(newEdition.authors ?? [])
/// ```
public struct Book: Hashable, Sendable {
    /// Where the book is, in the words of the overlay: the key of every later call, unique within one booklist.
    public var path: String?
    /// Identifies the book, not its bytes: all editions of a book have the same UUID.
    public var uuid: String?
    /// The title.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// The authors in their order.
    public var authors: [String]?
    /// The authors as they are sorted.
    public var authorSort: String?
    /// Name of the series.
    public var series: String?
    /// Place in the series.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// Day of publication, `YYYY-MM-DD`, proleptic Gregorian.
    public var pubdate: String?
    /// When the book came to the device, in seconds since 1970-01-01 00:00 UTC.
    public var dateAdded: Int64?
    /// HTML or plain text, as the reader app keeps it.
    public var description: String?
    /// Subjects.
    public var tags: [String]?
    /// Collections, and flags of the reader app that it shows as collections.
    public var collections: [String]?
    /// 0 to 5 stars.
    public var rating: Double?
    /// Bytes of the book's file.
    public var size: UInt64?
    /// Media type of the file, such as `application/epub+zip`.
    public var format: String?
    /// Media type of the cover; nil when the book has none.
    public var coverMediaType: String?
    /// Bytes of the cover image.
    public var coverSize: UInt64?
    /// The cover itself, only when the caller asked for covers.
    public var coverData: [UInt8]?
    /// Whether the book is locked in the reader app.
    public var isLocked: Bool?
    /// Words of the book.
    public var wordCount: UInt64?
    /// How much of it has been read: 0 to 1.
    public var progress: Double?
    /// Highlights, notes and bookmarks, only when the caller asked for them.
    public var annotations: [Annotation]
    /// Identifies the bytes of the file, in the form of a UUID: only files with the same content share it.
    public var contentID: String?
    /// More that the reader app knows, as the text of a JSON object with members that are not fields of a book. `files` in it
    /// lists the files of the book.
    public var extra: String?

    /// A book with the given values; all others are unknown.
    public init(
        path: String? = nil, uuid: String? = nil, title: String? = nil, titleSort: String? = nil,
        authors: [String]? = nil, authorSort: String? = nil, series: String? = nil,
        seriesIndex: Double? = nil,
        publisher: String? = nil, pubdate: String? = nil, dateAdded: Int64? = nil, description: String? = nil,
        tags: [String]? = nil, collections: [String]? = nil, rating: Double? = nil, size: UInt64? = nil,
        format: String? = nil, coverMediaType: String? = nil, coverSize: UInt64? = nil,
        coverData: [UInt8]? = nil, isLocked: Bool? = nil, wordCount: UInt64? = nil, progress: Double? = nil,
        annotations: [Annotation] = [], contentID: String? = nil, extra: String? = nil
    ) {
        self.path = path
        self.uuid = uuid
        self.title = title
        self.titleSort = titleSort
        self.authors = authors
        self.authorSort = authorSort
        self.series = series
        self.seriesIndex = seriesIndex
        self.publisher = publisher
        self.pubdate = pubdate
        self.dateAdded = dateAdded
        self.description = description
        self.tags = tags
        self.collections = collections
        self.rating = rating
        self.size = size
        self.format = format
        self.coverMediaType = coverMediaType
        self.coverSize = coverSize
        self.coverData = coverData
        self.isLocked = isLocked
        self.wordCount = wordCount
        self.progress = progress
        self.annotations = annotations
        self.contentID = contentID
        self.extra = extra
    }
}
