@_exported import BookModel
import OverlayABI
import OverlayBridge

/// A book in a booklist: a checked and copied `Book` that has a path. All values of the book are properties of the
/// record.
///
/// ```swift
/// var record = BookRecord(path: "/Documents/emma.epub")
/// record.title = "Emma"
/// print(record.path, record.title ?? "", record.book.authors ?? [])
/// ```
@dynamicMemberLookup
public struct BookRecord: Sendable, Equatable {
    /// The values of the book.
    public var book: Book

    /// The path as defined by the overlay, which later calls use as the key. Unique in a booklist; empty for a book
    /// that is not on the device.
    public var path: String {
        get { book.path ?? "" }
        set { book.path = newValue }
    }

    /// Creates a record with the values of `book`.
    public init(path: String, _ book: Book = Book()) {
        self.book = book
        self.book.path = path
    }

    /// A value of the book.
    public subscript<Value>(dynamicMember value: WritableKeyPath<Book, Value>) -> Value {
        get { book[keyPath: value] }
        set { book[keyPath: value] = newValue }
    }
}

/// The changes to a book. Nil keeps a value; an empty text or list clears it.
///
/// Only values with a word in `settable_metadata` are used.
///
/// ```swift
/// func rename(_ path: String, to title: String, in session: HostSession) {
///     let changes = BookChanges(title: title, tags: [])  // also removes the tags
///     print(session.update(path, changes).status)
/// }
/// ```
public typealias BookChanges = Book

extension Arena {
    /// Creates the record of a book with views into the arena. If `hasPath` is false, the path is omitted, as for a
    /// book that is not on the device.
    package func book(_ book: BookRecord, hasPath: Bool = true) -> ovl_book {
        var record = record(book.book)
        if !hasPath { record.path = ovl_text() }
        return record
    }
}
