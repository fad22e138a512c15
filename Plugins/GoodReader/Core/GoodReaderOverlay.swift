import BookFolders
import OverlayKit

/// The overlay for GoodReader, a reader of PDF and other documents for iPad and iPhone, and for GoodReader 4.
///
/// GoodReader keeps its documents as plain files in folders, which it shares with computers. Nothing of its own is ever
/// written: what a person says of a document is kept on the host.
public final class GoodReaderOverlay: Overlay {
    /// Under which the log is told.
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
