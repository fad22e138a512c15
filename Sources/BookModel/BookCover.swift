/// The cover of a book: the three values of a ``Book`` that describe it, as one.
public struct BookCover: Sendable, Hashable {
    /// Media type of the image.
    public var mediaType: String
    /// Bytes of the image; nil if unknown.
    public var size: UInt64?
    /// The image itself; nil unless the caller asked for it.
    public var data: [UInt8]?

    /// A cover.
    public init(mediaType: String, size: UInt64? = nil, data: [UInt8]? = nil) {
        self.mediaType = mediaType
        self.size = size
        self.data = data
    }
}

extension Book {
    /// The cover; nil if the book has none, which the absence of its media type says.
    public var cover: BookCover? {
        get { coverMediaType.map { BookCover(mediaType: $0, size: coverSize, data: coverData) } }
        set {
            coverMediaType = newValue?.mediaType
            coverSize = newValue?.size
            coverData = newValue?.data
        }
    }
}
