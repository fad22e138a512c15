/// One row of the cache that the calibre plugin "iOS reader applications" keeps in GoodReader's and Kindle's containers.
public struct GoodReaderCacheRow: Sendable, Equatable {
    /// Path relative to the documents.
    public var path: String
    /// The title.
    public var title: String?
    /// The title as it is sorted.
    public var titleSort: String?
    /// The authors in one text, joined with ` & ` (GoodReader) or `; ` (Kindle).
    public var authors: String?
    /// The authors as they are sorted.
    public var authorSort: String?
    /// calibre's uuid.
    public var uuid: String?
    /// Unix seconds.
    public var added: Int64?
    /// Bytes of the file.
    public var size: Int64?
    /// The bytes of a JPEG file, which are kept as base64 text.
    public var thumbnail: [UInt8]?

    /// A row about one file.
    public init(
        path: String, title: String? = nil, titleSort: String? = nil, authors: String? = nil,
        authorSort: String? = nil, uuid: String? = nil, added: Int64? = nil, size: Int64? = nil,
        thumbnail: [UInt8]? = nil
    ) {
        self.path = path
        self.title = title
        self.titleSort = titleSort
        self.authors = authors
        self.authorSort = authorSort
        self.uuid = uuid
        self.added = added
        self.size = size
        self.thumbnail = thumbnail
    }
}
