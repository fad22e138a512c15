/// Fills the slot `books`.
public protocol ListsBooks: Overlay {
    /// {attached} Hands every book of the reader app to `each`. A card volume has none.
    ///
    /// `each` throws when the host wants no more; let that error pass.
    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `get_file`.
public protocol FetchesBooks: Overlay {
    /// {attached} Hands the bytes of the book at `path` to `each`, piece by piece, in order, without gaps.
    ///
    /// The arguments of `each`: the bytes, which may be used after the call again; bytes from the start of the file to
    /// this piece; bytes of the whole file, nil: unknown. `each` throws when the host wants no more; let that error pass.
    func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}

/// Fills the slot `prepare_addable_books`.
public protocol PreparesAddableBooks: Overlay {
    /// {attached} Fetches the books at `paths` so that the host can keep them: one row per path, with the `file` that
    /// the transport service's `pull` gave.
    func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `upload_books`.
public protocol UploadsBooks: Overlay {
    /// {attached} Adds books. One row per item, whatever happened to it, also when the method as a whole fails or is
    /// cancelled.
    ///
    /// Nothing is deleted before its replacement is there and verified.
    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `delete_books`.
public protocol DeletesBooks: Overlay {
    /// {attached} Deletes the books at these paths. One row per path.
    func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}
