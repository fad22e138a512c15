import OverlayKit

extension MarvinPaths {
    /// The option that names the staging folder.
    static let stagingPreference = "marvin_staging_folder"
    /// The option that names the database.
    static let libraryPreference = "marvin_database_path"
    /// The option that names the folder of small covers.
    static let coversPreference = "marvin_covers_folder"

    /// The places of a version, with what the preferences say instead.
    ///
    /// - Throws: `invalidArgument` for a place that no path on a device can be.
    init(version: MarvinVersion?, prefs: PrefsService) throws(OverlayError) {
        self.init(version: version)
        if let place = try Self.place(Self.stagingPreference, prefs) { staging = place }
        if let place = try Self.place(Self.libraryPreference, prefs) { library = place }
        if let place = try Self.place(Self.coversPreference, prefs) {
            covers = [place]
        } else if library.hasPrefix(documents + "/") {
            // An app that keeps its library among its documents has no covers elsewhere that could be reached.
            let parent = library.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            covers = [parent.joined(separator: "/") + "/com.appstafarian.marvin.covers"]
        }
    }

    private static func place(_ key: String, _ prefs: PrefsService) throws(OverlayError) -> String? {
        guard var text = try prefs.text(key)?.trimmingSpaces, !text.isEmpty else { return nil }
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].isEmpty, parts.dropFirst().allSatisfy({ isSafeName(String($0)) })
        else {
            throw OverlayError(
                .invalidArgument, "The preference \(key) is not a path in the app's container.",
                subject: text,
                hint: "Give a path such as /Documents/calibre, or unset the preference.")
        }
        return text
    }
}
