import BookModel
import Platform

/// The books of a reader app, checked and copied out of the overlay, in the order of its library.
public struct BookList: RandomAccessCollection, Sendable {
    private var books: [BookRecord] = []
    /// Paths are compared by their bytes, as iOS does.
    private var positions: [ExactText: Int] = [:]

    /// A list without books.
    public init() {}

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of books.
    public var endIndex: Int { books.count }

    /// The book at a position.
    public subscript(position: Int) -> BookRecord { books[position] }

    /// The position of the book with this path; nil if there is none.
    public func position(ofPath path: String) -> Int? { positions[ExactText(path)] }

    /// Adds a book at the end. False if the list has a book with this path already.
    package mutating func append(_ book: consuming BookRecord) -> Bool {
        let path = ExactText(book.path)
        guard positions.updateValue(books.count, forKey: path) == nil else { return false }
        books.append(book)
        return true
    }
}

extension [BookRecord] {
    /// The booklist after the edits; new books are at its end.
    package func applying(_ edits: [BooklistEdit]) -> [BookRecord] {
        var books = self.map { Optional($0) }
        var added: [BookRecord] = []
        for edit in edits {
            switch edit {
            case .insert(let book): added.append(BookRecord(path: book.path ?? "", book))
            case .replace(let index, let book): books[index] = BookRecord(path: book.path ?? "", book)
            case .remove(let index): books[index] = nil
            }
        }
        return books.compactMap { $0 } + added
    }
}
