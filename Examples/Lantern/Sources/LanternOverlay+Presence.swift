import OverlayKit

extension LanternOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank, ProvidesSettings {
    /// Whether the app's library is one that this overlay knows. Asked again and again while the host waits for an app.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if let version = try library.version(), version != Library.knownVersion {
            return .no(
                .accessRefused, "Lantern keeps its library in version \(version).",
                hint: "This overlay knows version \(Library.knownVersion); look for a newer one.")
        }
        serial = device.serial
        return .yes()
    }

    /// The USB device that is this instance's.
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

    /// What cannot be done here, and why. Asks the device nothing.
    public func settings() throws(OverlayError) -> OverlaySettings {
        let documents = try host.transport.roots().first { $0.root == .documents }
        guard documents?.granted != true else { return OverlaySettings() }
        let reason = documents?.reason ?? "iOS gives no access to Lantern's files."
        let all: [OverlaySettings.Missing.Ability] = [.books, .upload, .delete, .update, .get]
        return OverlaySettings(missing: all.map { .init($0, reason: reason, hint: documents?.hint) })
    }
}
