import BookFolders
import OverlayKit

extension GoodReaderOverlay: ProvidesSettings {
    /// The formats of the switch, and what cannot be done here. Asks the device nothing.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var settings = OverlaySettings(formats: try GoodReaderOptions.formats(host.prefs))
        settings.missing = try BookShelf.missingAbilities(host)
        if settings.missing.isEmpty {
            settings.missing = [
                OverlaySettings.Missing(
                    .collections,
                    reason:
                        "Collections are GoodReader's folders, and documents in them are not moved, for GoodReader remembers bookmarks by the place of a file.",
                    hint: "Choose the folder when you add a document: upload --collection NAME.")
            ]
        }
        return settings
    }
}
