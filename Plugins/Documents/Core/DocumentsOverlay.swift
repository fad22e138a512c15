import BookFolders
import OverlayKit

/// The overlay for every app that shares its Documents folder with computers and does not have an overlay of its own.
///
/// The books are the files in that folder, and folders are collections. The app's own data, such as reading progress,
/// cannot be reached.
public final class DocumentsOverlay: ShelfOverlay {
    /// The services of the host.
    public let host: HostServices
    /// The device that this instance serves.
    public var connection = ShelfConnection()

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// The app's name, as iOS knows it.
    func appName() throws(OverlayError) -> String {
        try host.transport.device().appName ?? Self.descriptor.appName
    }

    /// The files that are books: the user's choice, or else the app's own list, or else all publications.
    func formats() throws(OverlayError) -> BookFormats {
        let own = BookFormats(try host.prefs.texts(DocumentsPreference.formats))
        guard own.extensions.isEmpty else { return own }
        return BookFormats.ofApp(try host.transport.device().appFormats)
    }

    /// Whether only the user's values may be kept between connections.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(DocumentsPreference.cachingDisabled, default: false)
    }

    /// The app's shelf, with the options that the preferences set.
    public func shelf() throws(OverlayError) -> BookShelf {
        var options = ShelfOptions(appName: try appName(), formats: try formats())
        options.foldersAreCollections = true
        options.ignoredFolders = try host.prefs.texts(DocumentsPreference.ignoredFolders)
        options.looksIntoUnknownFiles = try host.prefs.bool(DocumentsPreference.looksIntoFiles, default: true)
        options.keepsMetadata = try !isCachingDisabled()
        return BookShelf(host, try BookPlace.documents(host), options)
    }
}

/// The keys of the overlay's preferences.
enum DocumentsPreference {
    static let formats = "documents_formats"
    static let ignoredFolders = "documents_ignore_folders"
    static let looksIntoFiles = "documents_look_into_files"
    static let cachingDisabled = "documents_caching_disabled"
}

extension DocumentsOverlay: ProvidesSettings {
    /// The formats of the present app, and the abilities that are missing for it.
    public func settings() throws(OverlayError) -> OverlaySettings {
        OverlaySettings(
            formats: try formats().extensions, missing: try BookShelf.missingAbilities(host))
    }
}

// Books are fetched together, except unpacked books: each is packed while it is fetched, so it is fetched alone.

extension DocumentsOverlay: PreparesAddableBooks, SyncsBooklists {
    /// Removes what was kept between connections, if the user disabled caches.
    public func dropCaches() throws(OverlayError) {
        if try isCachingDisabled() { try MetadataCache.clear(host.storage) }
    }

    /// Renames books to their new titles, and moves them into the folders of their collections.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: true, keepsAuthors: false)
        try shelf().sync(books, edits, report: report)
    }
}
