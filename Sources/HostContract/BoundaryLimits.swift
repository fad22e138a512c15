import OverlayBridge

/// The largest values that the host takes from an overlay; anything beyond breaks the contract.
///
/// They are far above what real libraries hold, and keep a broken overlay from filling the memory.
package enum BoundaryLimits {
    /// Bytes of a text.
    package static let text = 1 << 20
    /// Bytes of a book's description.
    package static let description = 16 << 20
    /// Bytes of a path.
    package static let path = 4096
    /// Bytes of a message or hint; longer ones are cut, since a report must not fail over its own wording.
    package static let message = 8192
    /// Texts in one list of a record.
    package static let texts = 65_536
    /// Bytes of a cover.
    package static let cover = 32 << 20
    /// Books in one booklist.
    package static let books = 1_000_000
    /// Bytes that one booklist may count, by the rules of docs/abi.md. It takes at most four times as much memory: a short text
    /// in a Swift string takes four times its bytes.
    package static let booklistBytes = 1 << 30
    /// Bytes that count for each book of a booklist beside its texts, lists and cover.
    package static let bookOverhead = 256
    /// Bytes that count for each text in a list of a book beside its own.
    package static let elementOverhead = 16
    /// Annotations of one book.
    package static let annotations = 10_000
    /// Bytes that count for each annotation of a book beside its texts.
    package static let annotationOverhead = 256
    /// Bytes that a command may answer.
    package static let answer = 64 << 20
    /// Records of a list that an overlay hands to a service.
    package static let records = 1_000_000
    /// Bytes of JSON that an overlay asks to be stored.
    package static let json = 1 << 20

    /// The limits for the values of books.
    static let book = BookLimits(
        path: path, text: text, description: description, cover: cover, texts: texts,
        annotations: annotations, total: UInt64(booklistBytes))
}
