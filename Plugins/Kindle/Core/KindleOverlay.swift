import BookFolders
import OverlayKit

/// The overlay for Amazon's Kindle app, limited to books in its file sharing folder.
///
/// Books are the files in the app's Documents folder. The app's own library, which includes bought books, cannot be reached.
public final class KindleOverlay: ShelfOverlay {
    /// The services of the host.
    public let host: HostServices
    /// The device that this instance serves.
    public var connection = ShelfConnection()

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// The enabled formats, in the user's order and in any case; all formats if none is enabled.
    func formats() throws(OverlayError) -> BookFormats {
        for key in [KindlePreference.enabledFormats, KindlePreference.supportedFormats] {
            let formats = BookFormats(try host.prefs.texts(key))
            if !formats.extensions.isEmpty { return formats }
        }
        return BookFormats(KindlePreference.formats)
    }

    /// Whether caches between connections are disabled.
    func isCachingDisabled() throws(OverlayError) -> Bool {
        try host.prefs.bool(KindlePreference.cachingDisabled, default: false)
    }

    /// The cache that calibre's plugin may have left in the container.
    var calibreCache: CalibreCache { CalibreCache(host, separator: "; ", category: "kindle") }

    /// The app's shelf, with the options that the preferences set.
    public func shelf() throws(OverlayError) -> BookShelf {
        let place = try BookPlace.documents(host)
        var options = ShelfOptions(appName: Self.descriptor.appName, formats: try formats())
        options.fileTitle = Self.fileTitle
        options.keepsMetadata = try !isCachingDisabled()
        if options.keepsMetadata, place.root == .container {
            let cache = calibreCache
            options.known = { () throws(OverlayError) in try cache.books() }
        }
        return BookShelf(host, place, options)
    }

    /// The name of a new file: `<title>-<first author>`.
    static func fileTitle(_ book: Book) -> String? {
        guard let title = book.title, !title.isEmpty else { return nil }
        guard let author = book.authors?.first(where: { !$0.isEmpty }) else { return title }
        return title + "-" + author
    }
}

/// The keys of the overlay's preferences, which are those of the calibre plugin, and the default.
enum KindlePreference {
    static let enabledFormats = "kindle_enabled_formats"
    static let supportedFormats = "kindle_supported_formats"
    static let cachingDisabled = "kindle_caching_disabled"
    static let formats = ["MOBI", "PDF"]
}

extension KindleOverlay: ProvidesSettings {
    /// The enabled formats, and the abilities that are missing for the app.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var missing = try BookShelf.missingAbilities(host)
        if missing.isEmpty {
            missing = [
                OverlaySettings.Missing(
                    .update, reason: "The Kindle app reads titles and authors from the files.",
                    hint: "Change the file on this computer, then upload it with --on-conflict replace.",
                    hintKind: .replace),
                OverlaySettings.Missing(
                    .collections, reason: "The Kindle app does not allow access to its collections.",
                    hint: "Manage them in the app."),
            ]
        }
        return OverlaySettings(formats: try formats().extensions, missing: missing)
    }
}

extension KindleOverlay: PreparesAddableBooks {
    /// Removes what was kept between connections, if the user disabled caches.
    public func dropCaches() throws(OverlayError) {
        guard try isCachingDisabled() else { return }
        try MetadataCache.clear(host.storage)
        if try BookPlace.documents(host).root == .container { try calibreCache.remove() }
    }
}
