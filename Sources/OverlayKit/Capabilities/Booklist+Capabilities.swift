/// Fills the slot `add_books_to_metadata`.
public protocol AddsToBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} The edits that bring `snapshot` up to date after an upload.
    ///
    /// Pure: the transport service is refused.
    /// `added`: the new books with the `path` each upload reported.
    func addBooksToMetadata(_ added: [Book], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `remove_books_from_metadata`.
public protocol RemovesFromBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} The edits that bring `snapshot` up to date after a deletion of `paths`.
    ///
    /// Pure: the transport service is refused. A path that is not in the snapshot is no error.
    func removeBooksFromMetadata(_ paths: [String], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `sync_booklists`.
public protocol SyncsBooklists: Overlay {
    /// {attached} Writes the edited booklist, whose books are found by `path`, to the reader app: the books as they shall
    /// be. One row per book that differs, with its `path` afterwards.
    ///
    /// A value that is nil is left alone, but `collections` is always the full list (empty: in none). What the settable
    /// metadata does not name is ignored. `coverData`: this cover shall be set.
    func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}
