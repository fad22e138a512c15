/// What a book says of itself; the Swift form of `ovl_metadata`.
public struct BookMetadata: Hashable, Sendable {
    /// The book; `path` and `collections` are nil. The cover's bytes are there only if they were asked for.
    public var book: Book
    /// BCP 47 tags.
    public var languages: [String]
    /// `scheme:value`, such as `isbn:9780141439518`; the bare value where there is no scheme.
    public var identifiers: [String]
    /// What could not be read: one sentence each. Empty for a sound book.
    public var shortcomings: [String]
    /// Pages; nil if nobody knows.
    public var pages: UInt64?
    /// Bytes that were read of the source.
    public var bytesRead: UInt64

    /// What is known of a book.
    public init(
        book: Book, languages: [String] = [], identifiers: [String] = [], shortcomings: [String] = [],
        pages: UInt64? = nil, bytesRead: UInt64 = 0
    ) {
        self.book = book
        self.languages = languages
        self.identifiers = identifiers
        self.shortcomings = shortcomings
        self.pages = pages
        self.bytesRead = bytesRead
    }
}
