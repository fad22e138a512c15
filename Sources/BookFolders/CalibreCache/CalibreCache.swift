import OverlayKit

/// The entries of a shelf's files in the cache of the calibre plugin "iOS reader applications". The cache is read at
/// most once, when it is needed.
///
/// Use on the device thread.
public final class CalibreCache {
    private let host: HostServices
    private let separator: String
    private let category: String
    private var found: [ShelfPath: ShelfOptions.KnownBook]?

    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - separator: the text between two authors: ` & ` for GoodReader, `; ` for Kindle.
    ///   - category: the category of its log messages.
    public init(_ host: HostServices, separator: String, category: String) {
        self.host = host
        self.separator = separator
        self.category = category
    }

    /// The known books by path. An entry applies only while the file still has the recorded size, because a name
    /// alone proves nothing.
    ///
    /// - Throws: only errors that end the running method.
    public func books() throws(OverlayError) -> [ShelfPath: ShelfOptions.KnownBook] {
        if let found { return found }
        let cache = try DeviceCache.read(host, separator: separator, category: category)
        var books: [ShelfPath: ShelfOptions.KnownBook] = [:]
        for entry in cache.entries.values {
            guard let path = ShelfPath(entry.path), let size = entry.size, entry.title != nil else {
                continue
            }
            books[path] = ShelfOptions.KnownBook(size: size, book: Book(entry))
        }
        found = books
        return books
    }

    /// Removes the cache from the device. A failure is only logged.
    ///
    /// - Throws: only errors that end the running method.
    public func remove() throws(OverlayError) {
        do throws(OverlayError) {
            try host.transport.remove(.container, DeviceCache.path)
            host.log.notice(category, "The cache that calibre's plugin left on the device was deleted.")
        } catch {
            if error.endsTheCall { throw error }
            guard error.status != .notFound else { return }
            host.log.notice(
                category,
                "Cannot delete the cache that calibre's plugin left: "
                    + "\(error.message)")
        }
        found = [:]
    }
}

extension Book {
    /// Creates a known book from a cache entry.
    fileprivate init(_ entry: DeviceCacheEntry) {
        self.init(
            uuid: entry.uuid, title: entry.title, titleSort: entry.titleSort, authors: entry.authors,
            authorSort: entry.authorSort, dateAdded: entry.added,
            coverMediaType: entry.thumbnail.flatMap { PictureType.mediaType(of: $0) },
            coverSize: entry.thumbnail.map { UInt64($0.count) }, coverData: entry.thumbnail)
    }
}
