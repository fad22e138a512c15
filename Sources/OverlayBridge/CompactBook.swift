import BookModel

/// A compact form for books that are kept in large numbers. It needs about as many bytes as its values, and creates
/// the book at each access.
///
/// ```swift
/// let kept = CompactBook(Book(title: "Emma"))
/// print(kept.book.title ?? "")
/// ```
///
/// A `Book` needs memory even for missing values, and an allocation for each longer text.
public struct CompactBook: Hashable, Sendable {
    private enum Content: Hashable, Sendable {
        /// The bytes of a packed book.
        case packed([UInt8])
        /// A book with annotations, or one that exceeds the limits of the contract.
        indirect case whole(Book)
    }

    private let content: Content

    /// Stores a book.
    ///
    /// - Parameter book: any book.
    public init(_ book: Book) {
        do throws(ViewFault) {
            guard book.annotations.isEmpty else {
                content = .whole(book)
                return
            }
            content = .packed(try PackedBook(book).compactBytes)
        } catch {
            content = .whole(book)
        }
    }

    /// The book.
    public var book: Book {
        switch content {
        case .packed(let bytes): bytes.withUnsafeBytes { PackedBook.book(in: $0) }
        case .whole(let book): book
        }
    }

    /// The size of the book's cover in bytes; nil if it is unknown.
    package var coverSize: UInt64? {
        switch content {
        case .packed(let bytes): bytes.withUnsafeBytes { PackedBook.coverSize(in: $0) }
        case .whole(let book): book.coverSize
        }
    }
}
