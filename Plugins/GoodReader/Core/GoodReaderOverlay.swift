import BookFolders
import OverlayKit

/// The overlay for GoodReader, a reader of PDF and other documents for iPad and iPhone, and for GoodReader 4.
///
/// GoodReader keeps its documents as plain files in folders, which it shares with computers. The overlay never writes
/// GoodReader's own data: what the user enters about a document is kept on the host.
public final class GoodReaderOverlay: ShelfOverlay {
    /// The category of its log messages.
    static let category = "goodreader"

    /// The services of the host.
    public let host: HostServices
    /// The device that this instance serves.
    public var connection = ShelfConnection()

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) {
        self.host = host
    }

    /// The app's name on this device, for messages.
    func appName() throws(OverlayError) -> String { try host.transport.device().appName ?? "GoodReader" }

    /// Whether caches between connections are disabled.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(GoodReaderOptions.cachingDisabled, default: false)
    }

    /// The cache that calibre's plugin may have left in the container.
    var calibreCache: CalibreCache { CalibreCache(host, separator: " & ", category: Self.category) }

    /// The shelf of documents that the methods use.
    public func shelf() throws(OverlayError) -> BookShelf {
        let place = try BookPlace.documents(host)
        var options = ShelfOptions(
            appName: try appName(), formats: BookFormats(try GoodReaderOptions.formats(host.prefs)))
        options.foldersAreCollections = true
        options.replacingMoves = false
        options.keepsMetadata = try !isCachingDisabled()
        // Only the container has files besides the documents.
        if place.root == .container {
            let (cache, previews) = (calibreCache, DocumentPreviews(host))
            options.known = { () throws(OverlayError) in try cache.books() }
            options.pictures = { files throws(OverlayError) in try previews.images(of: files) }
        }
        return BookShelf(host, place, options)
    }
}

extension GoodReaderOverlay: ProvidesSettings {
    /// The selected formats, and the abilities that are missing here. Does not send requests to the device.
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
                    hint: "Choose the folder when you add a document: upload --collection NAME.",
                    hintKind: .collections)
            ]
        }
        return settings
    }
}

extension GoodReaderOverlay: PreparesAddableBooks, SyncsBooklists {
    /// Removes what was kept between connections, if the user disabled caches.
    public func dropCaches() throws(OverlayError) {
        guard try isCachingDisabled() else { return }
        try MetadataCache.clear(host.storage)
        if try BookPlace.documents(host).root == .container { try calibreCache.remove() }
    }

    /// Stores new titles and authors on the host; the documents, their names and paths do not change.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().sync(
            books,
            ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true),
            report: report)
    }
}
