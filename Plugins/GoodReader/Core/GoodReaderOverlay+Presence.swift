import OverlayKit

extension GoodReaderOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the documents can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        try connection.presence(host, device)
    }

    /// The USB device that is this instance's. Asks the device nothing.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }
}
