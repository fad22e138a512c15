import BookFolders
import OverlayKit

extension DocumentsOverlay: AddsToBooklist, RemovesFromBooklist, SyncsBooklists {
    /// The edits after an upload: a book whose path is in the list is replaced, any other inserted.
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

    /// Renames books to their new titles, and moves them into the folders of their collections.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: true, keepsAuthors: false)
        try shelf().sync(books, edits, report: report)
    }
}
