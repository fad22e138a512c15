import BookFolders
import OverlayKit

/// The overlay for GoodReader, a reader of PDF and other documents for iPad and iPhone, and for GoodReader 4.
///
/// GoodReader keeps its documents as plain files in folders, which it shares with computers. Nothing of its own is ever
/// written: what a person says of a document is kept on the host.
public final class GoodReaderOverlay: Overlay {
    /// The category of its messages in the log.
    static let category = "goodreader"

    let host: HostServices
    /// What is known of the device this instance serves.
    var connection = ShelfConnection()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) {
        self.host = host
    }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// The app's name on this device, for sentences.
    func appName() throws(OverlayError) -> String { try host.transport.device().appName ?? "GoodReader" }

    /// Whether nothing may be kept between connections.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(GoodReaderOptions.cachingDisabled, default: false)
    }

    /// The cache that calibre's plugin may have left in the container.
    var calibreCache: CalibreCache { CalibreCache(host, separator: " & ", category: Self.category) }

    /// The documents, as the methods use them.
    func shelf() throws(OverlayError) -> BookShelf {
        let place = try BookPlace.documents(host)
        var options = ShelfOptions(
            appName: try appName(), formats: BookFormats(try GoodReaderOptions.formats(host.prefs)))
        options.foldersAreCollections = true
        options.replacingMoves = false
        options.keepsMetadata = try !isCachingDisabled()
        // Only the container has more than the documents.
        if place.root == .container {
            let (cache, previews) = (calibreCache, DocumentPreviews(host))
            options.known = { () throws(OverlayError) in try cache.books() }
            options.pictures = { files throws(OverlayError) in try previews.images(of: files) }
        }
        return BookShelf(host, place, options)
    }
}

extension GoodReaderOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the documents can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The USB device that is this instance's. Asks the device nothing.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }
}

extension GoodReaderOverlay: ProvidesSettings {
    /// The formats of the switch, and what cannot be done here. Asks the device nothing.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var settings = OverlaySettings(formats: try GoodReaderOptions.formats(host.prefs))
        settings.missing = try BookShelf.missingAbilities(host)
        if settings.missing.isEmpty {
            settings.missing = [
                OverlaySettings.Missing(
                    .collections,
                    reason:
                        "Collections are GoodReader's folders. Documents are not moved because "
                        + "GoodReader stores bookmarks by file path.",
                    hint: "Choose the folder when you add a document: upload --collection NAME.")
            ]
        }
        return settings
    }
}

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

    /// Copies documents to the host's temporary place, each to a file of its own, even if names are alike.
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
