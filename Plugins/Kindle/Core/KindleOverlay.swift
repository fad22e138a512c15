import BookFolders
import OverlayKit

/// The overlay for Amazon's Kindle app, as far as books go into it through file sharing.
///
/// Books are the files in the app's Documents folder; the app's own library, with what was bought, is out of reach.
public final class KindleOverlay: Overlay {
    let host: HostServices
    /// What is known of the device this instance serves.
    var connection = ShelfConnection()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// The formats that are enabled, in the person's order and any case; all formats if none is.
    func formats() throws(OverlayError) -> BookFormats {
        for key in [KindlePreference.enabledFormats, KindlePreference.supportedFormats] {
            let formats = BookFormats(try host.prefs.texts(key))
            if !formats.extensions.isEmpty { return formats }
        }
        return BookFormats(KindlePreference.formats)
    }

    /// Whether nothing may be kept between connections.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(KindlePreference.cachingDisabled, default: false)
    }

    /// The cache that calibre's plugin may have left in the container.
    var calibreCache: CalibreCache { CalibreCache(host, separator: "; ", category: "kindle") }

    /// The app's shelf, as the preferences want it treated.
    func shelf() throws(OverlayError) -> BookShelf {
        let place = try BookPlace.documents(host)
        var options = ShelfOptions(appName: Self.descriptor.appName, formats: try formats())
        options.fileTitle = Self.fileTitle
        options.keepsMetadata = try !isCachingDisabled()
        if options.keepsMetadata, place.root == .container {
            let cache = calibreCache
            options.known = { () throws(OverlayError) in try cache.books() }
        }
        return BookShelf(host, place, options)
    }

    /// The name of a file: `<title>-<first author>`.
    static func fileTitle(_ book: Book) -> String? {
        guard let title = book.title, !title.isEmpty else { return nil }
        guard let author = book.authors?.first(where: { !$0.isEmpty }) else { return title }
        return title + "-" + author
    }
}

/// The keys of the overlay's preferences, which are those of the calibre plugin, and their default.
enum KindlePreference {
    static let enabledFormats = "kindle_enabled_formats"
    static let supportedFormats = "kindle_supported_formats"
    static let cachingDisabled = "kindle_caching_disabled"
    static let formats = ["MOBI", "PDF"]
}

extension KindleOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ProvidesSettings {
    /// Whether the app's documents can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The USB device that is this instance's.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }

    /// The formats that are enabled, and what cannot be done with the app.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var missing = try BookShelf.missingAbilities(host)
        if missing.isEmpty {
            missing = [
                OverlaySettings.Missing(
                    .update, reason: "The Kindle app reads titles and authors from the files.",
                    hint: "Change the file on this computer, then upload it with --on-conflict replace."),
                OverlaySettings.Missing(
                    .collections, reason: "The Kindle app does not allow access to its collections.",
                    hint: "Manage them in the app."),
            ]
        }
        return OverlaySettings(formats: try formats().extensions, missing: missing)
    }
}

extension KindleOverlay: ListsBooks, FetchesBooks, PreparesAddableBooks, UploadsBooks, DeletesBooks {
    /// Lists the books in the shared folder. One whose cover or title cannot be read is listed all the same.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        try dropCaches()
        try shelf().books(options, each: each)
    }

    /// Does what the switch against caches says.
    private func dropCaches() throws(OverlayError) {
        guard try isCachingDisabled() else { return }
        try MetadataCache.clear(host.storage)
        if try BookPlace.documents(host).root == .container { try calibreCache.remove() }
    }

    /// Hands over the file of a book.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try shelf().read(path, each: each)
    }

    /// Copies books to the host's temporary place, all at once.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().pull(paths, report: report)
    }

    /// Copies books into the shared folder as `<title>-<first author>`.
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

extension KindleOverlay: AddsToBooklist, RemovesFromBooklist {
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
}
