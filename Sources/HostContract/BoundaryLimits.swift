import OverlayBridge

/// The largest values that the host accepts from an overlay. Larger values break the contract.
///
/// The limits are far above the values in real libraries, and prevent a defective overlay from using too much memory.
package enum BoundaryLimits {
    /// The size of a text in bytes.
    package static let text = 1 << 20
    /// The size of a book's description in bytes.
    package static let description = 16 << 20
    /// The size of a path in bytes.
    package static let path = 4096
    /// The size of a message or hint in bytes. Longer ones are cut, because a report must not fail because of its own
    /// text.
    package static let message = 8192
    /// The number of texts in a list of a record.
    package static let texts = 65_536
    /// The size of a cover in bytes.
    package static let cover = 32 << 20
    /// The number of books in a booklist.
    package static let books = 1_000_000
    /// The size of a booklist in bytes, counted by the rules in docs/abi.md. The list needs at most four times as
    /// much memory, because a short text in a Swift string takes four times its size.
    package static let booklistBytes = 1 << 30
    /// The number of bytes that count for each book in a booklist, in addition to its texts, lists and cover.
    package static let bookOverhead = 256
    /// The number of bytes that count for each text in a list of a book, in addition to the text.
    package static let elementOverhead = 16
    /// The number of annotations of a book.
    package static let annotations = 10_000
    /// The number of bytes that count for each annotation of a book, in addition to its texts.
    package static let annotationOverhead = 256
    /// The size of the answer to a command in bytes.
    package static let answer = 64 << 20
    /// The number of records in a list that an overlay passes to a service.
    package static let records = 1_000_000
    /// The size of JSON that an overlay asks the host to store, in bytes.
    package static let json = 1 << 20

    /// The limits for the values of books.
    static let book = BookLimits(
        path: path, text: text, description: description, cover: cover, texts: texts,
        annotations: annotations, total: UInt64(booklistBytes))
}
