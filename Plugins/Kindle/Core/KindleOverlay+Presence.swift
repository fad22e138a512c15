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

    /// The formats of the app at hand, and what cannot be done with it.
    public func settings() throws(OverlayError) -> OverlaySettings {
        OverlaySettings(
            formats: try formats().extensions, missing: try BookShelf.missingAbilities(host))
    }
}
