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
                        "Collections are GoodReader's folders. Documents are not moved because "
                        + "GoodReader stores bookmarks by file path.",
                    hint: "Choose the folder when you add a document: upload --collection NAME.")
            ]
        }
        return settings
    }
}
