/// One change to the host's copy of the booklist; the Swift form of `ovl_booklist_edit`.
///
/// Indices all refer to the snapshot the method was given, not to a list that changes meanwhile.
///
/// ```swift
/// let snapshot = [Book(path: "/Documents/emma.epub", title: "Emma"), Book(path: "/Documents/sanditon.epub")]
/// var named = snapshot[1]
/// named.title = "Sanditon"
/// let edits: [BooklistEdit] = [.remove(0), .replace(1, named), .insert(Book(path: "/Documents/persuasion.epub"))]
/// print(edits.count)
/// ```
public enum BooklistEdit: Hashable, Sendable {
    /// Adds a book.
    case insert(Book)
    /// Replaces the book at this index of the snapshot.
    case replace(Int, Book)
    /// Removes the book at this index of the snapshot.
    case remove(Int)
}
