import OverlayKit

extension LanternOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ProvidesSettings {
    /// Whether this overlay supports the app's library. The host asks repeatedly while it waits for an app.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if let version = try library.version(), version != Library.knownVersion {
            return .no(
                .accessRefused, "Lantern's library has version \(version).",
                hint: "This overlay knows version \(Library.knownVersion); look for a newer overlay.")
        }
        serial = device.serial
        return .yes()
    }

    /// The USB device of this instance.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError)
        -> Int?
    {
        guard presenceOnly, let serial else { return devices.isEmpty ? nil : 0 }
        return devices.firstIndex { $0.serial == serial }
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { serial = nil }

    /// Forgets the device.
    public func postYankCleanup() { serial = nil }

    /// Reports what cannot be done on this device, and why. Sends no request to the device.
    public func settings() throws(OverlayError) -> OverlaySettings {
        let documents = try host.transport.roots().first { $0.root == .documents }
        guard documents?.granted != true else { return OverlaySettings() }
        let reason = documents?.reason ?? "iOS gives no access to Lantern's files."
        let all: [OverlaySettings.Missing.Ability] = [.books, .upload, .delete, .update, .get]
        return OverlaySettings(missing: all.map { .init($0, reason: reason, hint: documents?.hint) })
    }
}
