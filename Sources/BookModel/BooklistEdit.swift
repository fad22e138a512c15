/// One change to the host's copy of the booklist; the Swift form of `ovl_booklist_edit`.
///
/// Indices all refer to the snapshot the method was given, not to a list that changes meanwhile.
public enum BooklistEdit: Hashable, Sendable {
    /// Adds a book.
    case insert(Book)
    /// Replaces the book at this index of the snapshot.
    case replace(Int, Book)
    /// Removes the book at this index of the snapshot.
    case remove(Int)
}
