@_exported import BookModel
import OverlayABI
import OverlayBridge

/// A book of a booklist: a `Book` that has a path, checked and copied out of the overlay. It has all values of its book.
///
///     var record = BookRecord(path: "/Documents/emma.epub")
///     record.title = "Emma"
@dynamicMemberLookup
public struct BookRecord: Sendable, Equatable {
    /// Everything that is known about the book.
    public var book: Book

    /// Where it is, in the words of the overlay: the key of every later call. Unique within one booklist; empty for a book that
    /// is not on the device.
    public var path: String {
        get { book.path ?? "" }
        set { book.path = newValue }
    }

    /// A book about which `book` says more than its path.
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

/// What to change about a book. A value that is nil stays as it is; an empty text or list clears the value.
///
/// Only values with a word in `settable_metadata` count.
public typealias BookChanges = Book

extension Arena {
    /// The record of a book with views into the arena; without its path if `hasPath` is false, as for a book that is not on the
    /// device.
    package func book(_ book: BookRecord, hasPath: Bool = true) -> ovl_book {
        var record = record(book.book)
        if !hasPath { record.path = ovl_text() }
        return record
    }
}
