import OverlayABI

/// A change to the host's copy of the booklist, checked and copied. Indices refer to the snapshot the method got.
package enum BooklistEdit: Sendable, Equatable {
    /// A book that was not there.
    case insert(BookRecord)
    /// The new form of a book.
    case replace(index: Int, BookRecord)
    /// A book that is gone.
    case remove(index: Int)
}

extension [BookRecord] {
    /// The booklist after the edits; new books stand at its end.
    package func applying(_ edits: [BooklistEdit]) -> [BookRecord] {
        var books = self.map { Optional($0) }
        var added: [BookRecord] = []
        for edit in edits {
            switch edit {
            case .insert(let book): added.append(book)
            case .replace(let index, let book): books[index] = book
            case .remove(let index): books[index] = nil
            }
        }
        return books.compactMap { $0 } + added
    }
}
