import BookFolders
import OverlayKit

extension GoodReaderOverlay: ListsBooks, FetchesBooks, PreparesAddableBooks {
    /// Lists the documents: a few round trips for each depth of folders, and of each document that is new a few kilobytes.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        try dropCaches()
        try shelf().books(options, each: each)
    }

    /// Hands over a document.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try shelf().read(path, each: each)
    }

    /// Copies documents to the host's temporary place, each to a file of its own, whatever their names have in common.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().pull(paths, report: report)
    }

    /// Does what the switch against caches says.
    private func dropCaches() throws(OverlayError) {
        guard try isCachingDisabled() else { return }
        try MetadataCache.clear(host.storage)
        if try BookPlace.documents(host).root == .container { try calibreCache.remove() }
    }
}
