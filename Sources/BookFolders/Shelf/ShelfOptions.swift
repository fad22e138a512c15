import OverlayKit

/// How an overlay wants its folder of books to be treated.
public struct ShelfOptions {
    /// What is known about a file from somewhere else than the file, such as a cache of the app's own.
    public struct KnownBook {
        /// Bytes of the file it was written for; another size means another file.
        public var size: UInt64
        /// What is known, the cover's bytes included.
        public var book: Book

        /// Knowledge of a file of that size.
        public init(size: UInt64, book: Book) {
            self.size = size
            self.book = book
        }
    }

    /// The app's name, for sentences.
    public var appName: String
    /// Which files are books.
    public var formats: BookFormats
    /// Folders that are passed over: ``FolderWalk``.
    public var ignoredFolders: [String] = []
    /// Whether a book in the folder `A/B` is in the collection `A/B`, and a collection given at upload is a folder.
    public var foldersAreCollections = false
    /// Whether a book that is replaced moves into the folder of the collection that was asked for. Not where the app remembers
    /// something by the place of a file.
    public var replacingMoves = true
    /// Whether files without a telling extension are looked into, once each.
    public var looksIntoUnknownFiles = true
    /// Whether metadata is kept on the host between connections.
    public var keepsMetadata = true
    /// The name of a new file, without its extension, before it is cleaned and made unique.
    public var fileTitle: (Book) -> String? = { $0.title }
    /// What is known about files from elsewhere, by path: taken instead of a look into a file that is not in the cache. Asked
    /// once, and only if there is such a file. Where it has no cover, that of the file is added to it.
    public var known: (() throws(OverlayError) -> [ShelfPath: KnownBook])?
    /// Pictures that the app itself keeps of some files, such as their first pages; they come before those within the files.
    /// Asked when covers are wanted, for files without a kept cover.
    public var pictures: (([FoundFile]) throws(OverlayError) -> [ShelfPath: [UInt8]])?
    /// Whether what is known about files may come from elsewhere than from them.
    var knowsFromElsewhere: Bool { known != nil }
    /// Bytes that an upload leaves free on the device.
    public var reserve: UInt64 = 2 << 20
    /// A clock that does not go back; tests set another.
    public var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// The usual treatment.
    public init(appName: String, formats: BookFormats) {
        self.appName = appName
        self.formats = formats
    }
}
