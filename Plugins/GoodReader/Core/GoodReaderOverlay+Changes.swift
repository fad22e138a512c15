import BookFolders
import OverlayKit

extension GoodReaderOverlay: UploadsBooks, DeletesBooks {
    /// Adds documents under their titles; nothing of the same name is overwritten.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().upload(items, options, report: report)
    }

    /// Deletes documents.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().delete(paths, report: report)
    }
}

extension GoodReaderOverlay: SyncsBooklists, AddsToBooklist, RemovesFromBooklist {
    /// Keeps new titles and authors on the host; the documents, their names and places stay as they are.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().sync(
            books,
            ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true),
            report: report)
    }

    /// The edits after an upload.
    public func addBooksToMetadata(
        _ added: [Book], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        BooklistEdits.adding(added, to: snapshot)
    }

    /// The edits after a deletion.
    public func removeBooksFromMetadata(
        _ paths: [String], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        BooklistEdits.removing(paths, from: snapshot)
    }
}
