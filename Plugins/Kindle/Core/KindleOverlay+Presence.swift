import BookFolders
import OverlayKit

extension KindleOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ProvidesSettings {
    /// Whether the app's documents can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The USB device that is this instance's.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }

    /// The formats that are enabled, and what cannot be done with the app.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var missing = try BookShelf.missingAbilities(host)
        if missing.isEmpty {
            missing = [
                OverlaySettings.Missing(
                    .update, reason: "The Kindle app reads titles and authors from the files.",
                    hint: "Change the file on this computer, then upload it with --on-conflict replace."),
                OverlaySettings.Missing(
                    .collections, reason: "The Kindle app does not allow access to its collections.",
                    hint: "Manage them in the app."),
            ]
        }
        return OverlaySettings(formats: try formats().extensions, missing: missing)
    }
}
