import OverlayKit

/// How a shelf treats its folder of books; set by the overlay.
public struct ShelfOptions {
    /// What is known about a file from another source, such as the app's own cache.
    public struct KnownBook {
        /// The size in bytes of the file that this describes; a file of another size is a different one.
        public var size: UInt64
        /// The metadata, including the cover's bytes.
        public var book: Book

        /// Metadata for a file of this size.
        public init(size: UInt64, book: Book) {
            self.size = size
            self.book = book
        }
    }

    /// The app's name, used in messages.
    public var appName: String
    /// The files that are books.
    public var formats: BookFormats
    /// Folders that are skipped; see ``FolderWalk``.
    public var ignoredFolders: [String] = []
    /// Whether a book in the folder `A/B` is in the collection `A/B`, and a collection requested at upload is a
    /// folder.
    public var foldersAreCollections = false
    /// Whether a replaced book moves into the folder of the requested collection. False if the app stores data by the
    /// path of a file.
    public var replacingMoves = true
    /// Whether files with an unknown or missing extension are read, once each, to determine their format.
    public var looksIntoUnknownFiles = true
    /// Whether metadata is kept on the host between connections.
    public var keepsMetadata = true
    /// Returns the name of a new file without its extension, before it is cleaned and made unique.
    public var fileTitle: (Book) -> String? = { $0.title }
    /// Returns metadata from other sources, by path. It is used instead of reading a file that is not in the cache.
    /// Called once, and only if there is such a file. If the metadata has no cover, the file's cover is added.
    public var known: (() throws(OverlayError) -> [ShelfPath: KnownBook])?
    /// Returns pictures that the app stores for some files, such as their first pages. They take precedence over
    /// covers in the files. Called when covers are requested, for files without a stored cover.
    public var pictures: (([FoundFile]) throws(OverlayError) -> [ShelfPath: [UInt8]])?
    /// Whether metadata may come from sources other than the files.
    var knowsFromElsewhere: Bool { known != nil }
    /// Bytes that an upload leaves free on the device.
    public var reserve: UInt64 = 2 << 20
    /// A monotonic clock; tests replace it.
    public var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// The default options.
    public init(appName: String, formats: BookFormats) {
        self.appName = appName
        self.formats = formats
    }
}
