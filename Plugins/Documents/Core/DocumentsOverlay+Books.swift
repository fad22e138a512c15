import BookFolders
import OverlayKit

extension DocumentsOverlay: ListsBooks, FetchesBooks, UploadsBooks, DeletesBooks {
    /// Lists the publications below the shared folder.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if try isCachingDisabled() { try MetadataCache.clear(host.storage) }
        try shelf().books(options, each: each)
    }

    /// Hands over the file of a book. There is no way to fetch several at once, since an unpacked book is packed on its way.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try shelf().read(path, each: each)
    }

    /// Copies books into the shared folder, or into the folder of the collection.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().upload(items, options, report: report)
    }

    /// Removes the files of books.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().delete(paths, report: report)
    }
}
