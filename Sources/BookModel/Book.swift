/// A book as the reader app stores it, or as the host wants it to be; the Swift form of `ovl_book`.
///
/// A nil value is unknown. An empty text or list is known to be empty. ``fields`` is the table of all values.
///
/// ```swift
/// let book = Book(path: "/Documents/emma.epub", title: "Emma", authors: ["Jane Austen"])
/// let newEdition = book.overridden(by: Book(title: "Emma, annotated"))
/// print(newEdition.authors ?? [])
/// ```
public struct Book: Hashable, Sendable {
    /// The path as defined by the overlay. Later calls identify the book by it, so it is unique within a booklist.
    public var path: String?
    /// Identifies the book and not its file: all editions of a book have the same UUID.
    public var uuid: String?
    /// The title.
    public var title: String?
    /// The title in the form used for sorting.
    public var titleSort: String?
    /// The authors, in order.
    public var authors: [String]?
    /// The authors in the form used for sorting.
    public var authorSort: String?
    /// The name of the series.
    public var series: String?
    /// The position in the series.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// The day of publication as `YYYY-MM-DD`, in the proleptic Gregorian calendar.
    public var pubdate: String?
    /// The time when the book was added to the device, in seconds since 1970-01-01 00:00 UTC.
    public var dateAdded: Int64?
    /// The description, as HTML or plain text, as the reader app stores it.
    public var description: String?
    /// The subjects of the book.
    public var tags: [String]?
    /// The collections of the book, including flags that the reader app shows as collections.
    public var collections: [String]?
    /// The rating, from 0 to 5 stars.
    public var rating: Double?
    /// The size of the book's file in bytes.
    public var size: UInt64?
    /// The media type of the file, such as `application/epub+zip`.
    public var format: String?
    /// The media type of the cover; nil if the book has no cover.
    public var coverMediaType: String?
    /// The size of the cover image in bytes.
    public var coverSize: UInt64?
    /// The cover image, if the caller requested covers.
    public var coverData: [UInt8]?
    /// Whether the book is locked in the reader app.
    public var isLocked: Bool?
    /// The number of words in the book.
    public var wordCount: UInt64?
    /// The part of the book that has been read, from 0 to 1.
    public var progress: Double?
    /// Highlights, notes and bookmarks, if the caller requested them.
    public var annotations: [Annotation]
    /// Identifies the content of the file, in the form of a UUID. Only files with the same content have the same
    /// value.
    public var contentID: String?
    /// Other values of the reader app, as the text of a JSON object. Its members are not fields of a book. The member
    /// `files` lists the files of the book.
    public var extra: String?

    /// Creates a book with the given values. All other values are unknown.
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
