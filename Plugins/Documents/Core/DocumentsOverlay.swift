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

extension DocumentsOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ProvidesSettings {
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

    /// The formats of the app at hand, and what cannot be done with it.
    public func settings() throws(OverlayError) -> OverlaySettings {
        OverlaySettings(
            formats: try formats().extensions, missing: try BookShelf.missingAbilities(host))
    }
}

extension DocumentsOverlay: ListsBooks, FetchesBooks, PreparesAddableBooks, UploadsBooks, DeletesBooks {
    /// Lists the publications below the shared folder.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if try isCachingDisabled() { try MetadataCache.clear(host.storage) }
        try shelf().books(options, each: each)
    }

    /// Copies books to the host's temporary place, all at once; not an unpacked book, which is packed on its way.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().pull(paths, report: report)
    }

    /// Hands over the file of a book.
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

extension DocumentsOverlay: AddsToBooklist, RemovesFromBooklist, SyncsBooklists {
    /// The edits after an upload: a book with a path in the list is replaced, any other inserted.
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

    /// Renames books to their new titles, and moves them into the folders of their collections.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: true, keepsAuthors: false)
        try shelf().sync(books, edits, report: report)
    }
}
