import BookModel

/// A book that is kept for long among thousands of others: about as many bytes as its values have, from which the book is made
/// anew each time it is asked for.
///
///     let kept = CompactBook(Book(title: "Emma"))
///     print(kept.book.title ?? "")
///
/// A `Book` has room for every value that it does not have, and an allocation for each longer text.
public struct CompactBook: Hashable, Sendable {
    private enum Content: Hashable, Sendable {
        /// The run of a packed book.
        case packed([UInt8])
        /// A book with annotations, or one that is larger than the contract allows.
        indirect case whole(Book)
    }

    private let content: Content

    /// Keeps a book.
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
}
