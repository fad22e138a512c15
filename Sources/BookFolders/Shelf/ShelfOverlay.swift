import OverlayKit

/// An overlay for an app whose books are files in a folder. The overlay says where they are and how to treat them,
/// and a `BookShelf` does the rest. Add protocols for further methods, such as `PreparesAddableBooks`, individually.
///
///     public final class PaperboatOverlay: ShelfOverlay {
///         public let host: HostServices
///         public var connection = ShelfConnection()
///         public init(host: HostServices) throws(OverlayError) { self.host = host }
///
///         public func shelf() throws(OverlayError) -> BookShelf {
///             let formats = BookFormats(["epub", "pdf"])
///             return BookShelf(
///                 host, try BookPlace.documents(host), ShelfOptions(appName: "Paperboat", formats: formats))
///         }
///     }
public protocol ShelfOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ListsBooks, FetchesBooks,
    UploadsBooks, DeletesBooks, AddsToBooklist, RemovesFromBooklist
{
    /// The services of the host.
    var host: HostServices { get }
    /// The device that this instance serves.
    var connection: ShelfConnection { get set }
    /// The app's shelf, with the options that the preferences set.
    func shelf() throws(OverlayError) -> BookShelf
    /// Removes what was kept between connections, if the user disabled caches. Called before each listing.
    func dropCaches() throws(OverlayError)
}

extension ShelfOverlay {
    /// Ends the instance: forgets the device.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// Whether the documents can be reached. Does not send requests to the device.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The index of this instance's USB device. Does not send requests to the device.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }

    /// By default, keeps everything.
    public func dropCaches() throws(OverlayError) {}

    /// Lists the books, including those whose cover or title cannot be read.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        try dropCaches()
        try shelf().books(options, each: each)
    }

    /// Passes the file of a book to the host.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try shelf().read(path, each: each)
    }

    /// Copies books to the app; never overwrites a file of the same name.
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

extension PreparesAddableBooks where Self: ShelfOverlay {
    /// Copies books to the host's temporary folder, each to its own file.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().pull(paths, report: report)
    }
}
