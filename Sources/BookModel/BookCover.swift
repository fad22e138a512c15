/// The cover of a book: the three values of a ``Book`` that describe it, as one.
///
/// ```swift
/// func saveCover(of name: String, in session: HostSession, to file: URL) throws {
///     guard let cover = try session.info(name, withCover: true).cover, let image = cover.data else { return }
///     print(cover.mediaType)
///     try Data(image).write(to: file)
/// }
/// ```
public struct BookCover: Sendable, Hashable {
    /// The media type of the image.
    public var mediaType: String
    /// The size of the image in bytes; nil if unknown.
    public var size: UInt64?
    /// The image; nil unless the caller requested it.
    public var data: [UInt8]?

    /// Creates a cover.
    public init(mediaType: String, size: UInt64? = nil, data: [UInt8]? = nil) {
        self.mediaType = mediaType
        self.size = size
        self.data = data
    }
}

extension Book {
    /// The cover; nil if the book has none, that is, if its media type is nil.
    public var cover: BookCover? {
        get { coverMediaType.map { BookCover(mediaType: $0, size: coverSize, data: coverData) } }
        set {
            coverMediaType = newValue?.mediaType
            coverSize = newValue?.size
            coverData = newValue?.data
        }
    }
}
