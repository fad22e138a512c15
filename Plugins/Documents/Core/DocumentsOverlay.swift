import BookFolders
import OverlayKit

/// The overlay for every app that shares its Documents folder with computers and has no overlay of its own.
///
/// The books are the files below that folder, folders are collections. What the app itself knows about them, such as how far
/// a person has read, is out of reach.
public final class DocumentsOverlay: ShelfOverlay {
    /// The services of the host.
    public let host: HostServices
    /// What is known about the device this instance serves.
    public var connection = ShelfConnection()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// The app's name, as iOS knows it.
    func appName() throws(OverlayError) -> String {
        try host.transport.device().appName ?? Self.descriptor.appName
    }

    /// Which files are books: what the person says, else what the app says it opens, else all publications.
    func formats() throws(OverlayError) -> BookFormats {
        let own = BookFormats(try host.prefs.texts(DocumentsPreference.formats))
        guard own.extensions.isEmpty else { return own }
        return BookFormats.ofApp(try host.transport.device().appFormats)
    }

    /// Whether nothing may be kept between connections but what people entered.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(DocumentsPreference.cachingDisabled, default: false)
    }

    /// The app's shelf, as the preferences want it treated.
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
    /// The formats of the app at hand, and what cannot be done with it.
    public func settings() throws(OverlayError) -> OverlaySettings {
        OverlaySettings(
            formats: try formats().extensions, missing: try BookShelf.missingAbilities(host))
    }
}

// Books are fetched together. An unpacked book is packed on its way, and so is fetched alone.

extension DocumentsOverlay: PreparesAddableBooks, SyncsBooklists {
    /// Removes what was kept between connections, if the person switched caches off.
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
