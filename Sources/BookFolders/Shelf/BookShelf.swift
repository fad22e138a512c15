import Claims
import OverlayKit

/// The books of an app that keeps them as plain files in a folder. Several overlays share this code.
///
/// Create a shelf for each method. It lists (`books`), adds (`upload`), copies to the host (`read`, `pull`), deletes
/// (`delete`), and renames and moves (`sync`). Paths are those of ``ShelfPath``, relative to the folder. Listing
/// reads only a few kilobytes of each file. Nothing is deleted before its replacement is on the device and verified,
/// and every item of a batch gets a row. Use on the device thread.
///
/// ```swift
/// let options = ShelfOptions(appName: "Nova", formats: BookFormats(["epub", "pdf"]))
/// let shelf = BookShelf(host, try BookPlace.documents(host), options)
/// try shelf.books(BooksOptions()) { book throws(OverlayError) in try sink(book) }
/// ```
public struct BookShelf {
    let host: HostServices
    let place: BookPlace
    let options: ShelfOptions
    /// The folders that this program created.
    let madeFolders: CreatedFolders
    /// The claim that keeps other programs away while this one changes the shelf.
    var claim: FolderClaim?

    /// Creates a shelf for a folder.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - place: the folder, usually `BookPlace.documents(host)`.
    ///   - options: how the app treats its books.
    public init(_ host: HostServices, _ place: BookPlace, _ options: ShelfOptions) {
        self.host = host
        self.place = place
        self.options = options
        madeFolders = CreatedFolders(host.storage, log: host.log)
    }

    /// Where metadata is kept between connections; nil if it is not kept.
    var metadataStorage: StorageService? { options.keepsMetadata ? host.storage : nil }

    /// The path of a book; throws if it is invalid.
    func checked(_ path: String) throws(OverlayError) -> ShelfPath {
        guard let path = ShelfPath(path) else { throw noSuchBook(path) }
        return path
    }

    /// The error for a path without a file.
    func noSuchBook(_ path: String?) -> OverlayError {
        OverlayError(
            .notFound, "\(options.appName) has no book with this path.", subject: path,
            hint: "List the books again.")
    }

    /// A walk through the shelf.
    var walk: FolderWalk {
        FolderWalk(host, place, ignoring: options.ignoredFolders, formats: options.formats)
    }

    /// Scans the shelf and loads what was recorded about it. While the shelf is claimed, partial files are removed.
    ///
    /// - Parameters:
    ///   - needsAll: whether to fail if a file that may be a book cannot be examined. A method that adds or moves books
    ///     must know all books.
    ///   - listed: the names in the shared folder if they were just listed; nil to list them.
    func scan(needsAll: Bool = true, listed: [String]? = nil) throws(OverlayError) -> ShelfScan {
        let early = EarlyRecords(notes: host.storage, metadata: metadataStorage)
        let contents = try walk.contents(listed: listed)
        for remark in contents.remarks { host.log.notice("books", remark) }
        if needsAll, let first = unexamined(contents).first {
            var error = first.error
            error.message = "The device gives no information about a file: " + error.message
            throw error
        }
        try claim?.removePartialFiles(contents.partialFiles.map { place.path($0) })
        let scan = ShelfScan(shelf: self, contents: contents, early)
        try scan.carryNotes()
        return scan
    }
}

extension BookShelf {
    /// The abilities that are missing because the app's documents cannot be reached: all, or none. Does not send
    /// requests to the device.
    public static func missingAbilities(
        _ host: HostServices
    ) throws(OverlayError) -> [OverlaySettings.Missing] {
        do {
            _ = try BookPlace.documents(host)
            return []
        } catch {
            guard error.status == .accessRefused else { throw error }
            let all: [OverlaySettings.Missing.Ability] = [
                .books, .upload, .delete, .update, .collections, .get, .covers,
            ]
            return all.map {
                OverlaySettings.Missing(
                    $0, reason: error.message, hint: error.hint, hintKind: error.hintKind)
            }
        }
    }
}
