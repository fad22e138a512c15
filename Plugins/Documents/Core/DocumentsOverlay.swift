import BookFolders
import OverlayKit

/// The overlay for every app that shares its Documents folder with computers and has no overlay of its own.
///
/// The books are the files below that folder, folders are collections. What the app itself knows of them, such as how far
/// a person has read, is out of reach.
public final class DocumentsOverlay: Overlay {
    let host: HostServices
    /// What is known of the device this instance serves.
    var connection = ShelfConnection()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) { connection.forget() }

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
    func shelf() throws(OverlayError) -> BookShelf {
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
