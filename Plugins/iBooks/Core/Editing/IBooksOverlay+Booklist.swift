import BookFolders
import OverlayKit

extension IBooksOverlay: AddsToBooklist, RemovesFromBooklist {
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
