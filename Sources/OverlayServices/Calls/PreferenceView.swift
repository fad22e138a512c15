import HostErrors
import JSON
import OverlayLoading
import Preferences
import Synchronization

/// The preferences that an overlay may read: its own options, the historical keys of its reader app, and common
/// switches. Keys that contain local paths or belong to others do not exist for it. Any thread.
package final class PreferenceView: Sendable {
    /// The host's switches that every overlay may read.
    package static let common: Set<String> = [
        "development_mode", "debug_plugin", "debug_libimobiledevice", "debug_can_handle",
        "plugin_diagnostics",
        "preferred_reader_app",
    ]

    private let overlay: OverlayDescription
    private let preferences: Preferences
    private let values: Mutex<PreferenceValues>

    /// Creates a view of `values`, which include the overlay's options. Values that the overlay sets are stored in
    /// `preferences`.
    package init(overlay: OverlayDescription, preferences: Preferences, values: PreferenceValues) {
        self.overlay = overlay
        self.preferences = preferences
        self.values = Mutex(values)
    }

    /// The value of a key; nil if it is not set and has no default.
    package func value(_ key: String) throws(HostError) -> JSONValue? {
        guard isOwn(key) || Self.common.contains(key) else { throw notShown(key) }
        let values = values.withLock { $0 }
        return try values.value(key)
    }

    /// Stores a value for one of the overlay's own options.
    package func store(_ value: JSONValue, for key: String) throws(HostError) {
        guard isOwn(key) else {
            throw HostError(
                .accessRefused, "An overlay can set only its own options.", subject: key)
        }
        // The folder is granted to the overlay, so only the user may choose it.
        guard overlay.options.first(where: { $0.key == key })?.namesSyncFolder != true else {
            throw HostError(
                .accessRefused, "Overlays cannot choose the folder to sync.", subject: key)
        }
        try preferences.store(value, for: key)
        let fresh = try preferences.read()
        values.withLock { $0 = fresh }
    }

    /// The ids of the overlays that may contact servers, as allowed by the user.
    func webOverlays() throws(HostError) -> [String] {
        let values = values.withLock { $0 }
        return try values.texts("web_overlays")
    }

    private func isOwn(_ key: String) -> Bool {
        if overlay.options.contains(where: { $0.key == key }) { return true }
        guard let owner = preferences.schema[key]?.owner else { return false }
        return owner == .readerApp(overlay.appName) || owner == .overlay(overlay.id)
    }

    private func notShown(_ key: String) -> HostError {
        HostError(.notFound, "The overlay has no option with this name.", subject: key)
    }
}
