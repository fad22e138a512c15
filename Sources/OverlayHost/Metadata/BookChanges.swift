/// What shall become different about a book. A value that is nil is left alone; an empty text or list takes away what is there.
public struct BookChanges: Sendable, Equatable {
    /// The title.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// All authors, the first one first.
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
    /// HTML or plain text.
    public var description: String?
    /// All subjects.
    public var tags: [String]?
    /// All collections.
    public var collections: [String]?
    /// 0 to 5 stars.
    public var rating: Double?
    /// The cover, with its bytes.
    public var cover: BookCover?
    /// Whether the book is locked in the reader app.
    public var isLocked: Bool?
    /// Words of the book.
    public var wordCount: UInt64?

    /// No change yet.
    public init() {}

    /// The words of `settable_metadata` for what is changed, in the order of the properties.
    public var fields: [String] {
        let all: [(String, Bool)] = [
            ("title", title != nil), ("title_sort", titleSort != nil), ("authors", authors != nil),
            ("author_sort", authorSort != nil), ("series", series != nil),
            ("series_index", seriesIndex != nil), ("publisher", publisher != nil),
            ("pubdate", pubdate != nil), ("description", description != nil), ("tags", tags != nil),
            ("collections", collections != nil), ("rating", rating != nil), ("cover", cover != nil),
            ("locked", isLocked != nil), ("word_count", wordCount != nil),
        ]
        return all.filter(\.1).map(\.0)
    }

    /// Refuses values that no book can have.
    func check() throws(HostError) {
        func refuse(_ field: String, _ expectation: String) -> HostError {
            HostError(.invalidArgument, "The \(field) of a book must be \(expectation).", subject: field)
        }
        if let title, title.allSatisfy(\.isWhitespace) {
            throw HostError(
                .invalidArgument, "A book must have a title.", subject: "title",
                hint: "Give a non-empty title.")
        }
        if let rating, !(rating >= 0 && rating <= 5) { throw refuse("rating", "from 0 to 5") }
        if let seriesIndex, !seriesIndex.isFinite { throw refuse("series_index", "a number") }
        if let pubdate, !pubdate.isEmpty {
            let isDay = Array(pubdate.utf8).withUnsafeBytes { BookChecker.isDay($0) }
            guard isDay else { throw refuse("pubdate", "a date of the form YYYY-MM-DD") }
        }
        if let cover, cover.data?.isEmpty ?? true { throw refuse("cover", "an image") }
        if let count = cover?.data?.count, count > BoundaryLimits.cover {
            throw refuse("cover", "an image of at most \(BoundaryLimits.cover) bytes")
        }
    }

    /// The record that tells the overlay what shall be: nothing but the changes, what names the book, and all its collections.
    func record(of book: BookRecord) -> BookRecord {
        var record = BookRecord(path: book.path)
        record.uuid = book.uuid
        record.title = title
        record.titleSort = titleSort
        record.authors = authors
        record.authorSort = authorSort
        record.series = series
        record.seriesIndex = seriesIndex
        record.publisher = publisher
        record.pubdate = pubdate
        record.description = description
        record.tags = tags
        record.collections = collections ?? book.collections ?? []
        record.rating = rating
        record.cover = cover.map { cover in
            BookCover(
                mediaType: cover.mediaType, size: cover.size ?? cover.data.map { UInt64($0.count) },
                data: cover.data)
        }
        record.isLocked = isLocked
        record.wordCount = wordCount
        return record
    }
}
