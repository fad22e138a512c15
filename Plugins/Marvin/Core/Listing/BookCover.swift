/// A small cover of a book.
struct BookCover: Equatable {
    var mediaType: String
    var size: UInt64
    /// Only when they were asked for.
    var bytes: [UInt8]?
}
