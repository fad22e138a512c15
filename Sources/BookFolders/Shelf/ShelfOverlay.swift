import OverlayKit

/// An overlay for an app with books that are files in a folder: it says where they are and how to treat them, and a
/// `BookShelf` does the rest. Add the protocols of further methods, such as `PreparesAddableBooks`, one by one.
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
    /// What is known about the device this instance serves.
    var connection: ShelfConnection { get set }
    /// The app's shelf, as the preferences want it treated.
    func shelf() throws(OverlayError) -> BookShelf
    /// Removes what was kept between connections, if the person switched caches off. Called before each listing.
    func dropCaches() throws(OverlayError)
}

extension ShelfOverlay {
    /// Ends the instance: forgets the device.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// Whether the documents can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The USB device that is this instance's. Asks the device nothing.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }

    /// Keeps everything.
    public func dropCaches() throws(OverlayError) {}

    /// Lists the books. A book with a cover or title that cannot be read is listed anyway.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        try dropCaches()
        try shelf().books(options, each: each)
    }

    /// Hands over the file of a book.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try shelf().read(path, each: each)
    }

    /// Copies books to the app; nothing of the same name is overwritten.
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
    /// Copies books to the host's temporary place, each to its own file.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try shelf().pull(paths, report: report)
    }
}
