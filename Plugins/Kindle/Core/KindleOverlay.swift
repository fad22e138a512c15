import BookFolders
import OverlayKit

/// The overlay for Amazon's Kindle app, as far as books go into it through file sharing.
///
/// Books are the files in the app's Documents folder; the app's own library, with what was bought, is out of reach.
public final class KindleOverlay: Overlay {
    let host: HostServices
    /// What is known of the device this instance serves.
    var connection = ShelfConnection()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// The formats that are enabled, in the person's order and whatever their case; those to choose from if none is.
    func formats() throws(OverlayError) -> BookFormats {
        for key in [Preference.enabledFormats, Preference.supportedFormats] {
            let formats = BookFormats(try host.prefs.texts(key))
            if !formats.extensions.isEmpty { return formats }
        }
        return BookFormats(Preference.formats)
    }

    /// The app's shelf, as the preferences want it treated.
    func shelf() throws(OverlayError) -> BookShelf {
        let place = try BookPlace.documents(host)
        var options = ShelfOptions(appName: Self.descriptor.appName, formats: try formats())
        options.fileTitle = Self.fileTitle
        options.keepsMetadata = try !host.prefs.bool(Preference.cachingDisabled, default: false)
        if options.keepsMetadata, place.root == .container {
            let host = host
            options.known = { () throws(OverlayError) in try Self.deviceCache(host) }
        }
        return BookShelf(host, place, options)
    }

    /// The name of a file: `<title>-<first author>`.
    static func fileTitle(_ book: Book) -> String? {
        guard let title = book.title, !title.isEmpty else { return nil }
        guard let author = book.authors?.first(where: { !$0.isEmpty }) else { return title }
        return title + "-" + author
    }

    /// What the cache says that the calibre plugin "iOS reader applications" keeps in the app's container.
    private static func deviceCache(
        _ host: HostServices
    ) throws(OverlayError) -> [ShelfPath: ShelfOptions.KnownBook] {
        let cache = try DeviceCache.read(host, separator: "; ", category: "kindle")
        var known: [ShelfPath: ShelfOptions.KnownBook] = [:]
        for entry in cache.entries.values {
            // Without its size nobody can say whether the file is still the same.
            guard let path = ShelfPath(entry.path), let size = entry.size else { continue }
            let book = Book(
                uuid: entry.uuid, title: entry.title, titleSort: entry.titleSort, authors: entry.authors,
                authorSort: entry.authorSort, dateAdded: entry.added,
                coverMediaType: entry.thumbnail.map { $0.first == 0x89 ? "image/png" : "image/jpeg" },
                coverData: entry.thumbnail)
            known[path] = ShelfOptions.KnownBook(size: size, book: book)
        }
        return known
    }
}

/// The keys of the overlay's preferences, which are those of the calibre plugin, and their default.
enum Preference {
    static let enabledFormats = "kindle_enabled_formats"
    static let supportedFormats = "kindle_supported_formats"
    static let cachingDisabled = "kindle_caching_disabled"
    static let formats = ["MOBI", "PDF"]
}
