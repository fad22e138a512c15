/// One book as a reader app knows it: the fields of the JSON output, checked and copied out of the overlay.
///
/// A value that is nil is absent: nothing is known about it. An empty list is known to be empty.
public struct BookRecord: Sendable, Equatable {
    /// Where it is, as the overlay names it: the key of every later call. Unique within one booklist.
    public var path: String
    /// Identifies the book, not its bytes: another edition of a file has the same one.
    public var uuid: String?
    /// The title.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// The authors, the first one first.
    public var authors: [String]?
    /// The authors as they are sorted.
    public var authorSort: String?
    /// Name of the series.
    public var series: String?
    /// Place in the series; finite.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// Day of publication, `YYYY-MM-DD`.
    public var pubdate: String?
    /// When it came to the device: seconds since 1970-01-01 00:00 UTC.
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
    /// The cover; nil when the book has none.
    public var cover: BookCover?
    /// Whether the book is locked in the reader app.
    public var isLocked: Bool?
    /// Words of the book.
    public var wordCount: UInt64?
    /// How much of it has been read: 0 to 1.
    public var progress: Double?
    /// What a person left in it; only when it was asked for.
    public var annotations: [BookAnnotation] = []
    /// Identifies the bytes of the file, in the form of a UUID: two files have the same one only if their content is the same.
    public var contentID: String?

    /// A book of which only the path is known.
    public init(path: String) { self.path = path }
}

/// The cover of a book.
public struct BookCover: Sendable, Equatable {
    /// Media type of the image.
    public var mediaType: String
    /// Bytes of the image; nil when the overlay does not say.
    public var size: UInt64?
    /// The image itself; nil unless it was asked for.
    public var data: [UInt8]?

    /// A cover.
    public init(mediaType: String, size: UInt64? = nil, data: [UInt8]? = nil) {
        self.mediaType = mediaType
        self.size = size
        self.data = data
    }
}
