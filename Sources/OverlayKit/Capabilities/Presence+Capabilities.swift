/// Fills the slot `can_handle`.
public protocol ChecksPresence: Overlay {
    /// {initialized, attached} Can this device be served now?
    ///
    /// The transport service already reaches the device, so the reader app's state may be looked at. Called often
    /// while waiting for a reader app.
    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence
}

/// Fills the slot `is_usb_connected`. Without it the host matches by the installed app alone.
public protocol ChecksUSB: Overlay {
    /// {initialized, attached, ejected} Which of the USB devices is this overlay's? nil: none.
    ///
    /// Called often: must be cheap and idempotent.
    /// `presenceOnly`: the device is known, only tell whether it is still there.
    func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int?
}

/// Fills the slot `eject`.
public protocol Ejects: Overlay {
    /// {attached} Ends the connection on the person's wish.
    func eject() throws(OverlayError)
}

/// Fills the slot `post_yank_cleanup`.
public protocol CleansUpAfterYank: Overlay {
    /// {yanked, ejected} Forgets the device.
    ///
    /// Has one second and must not fail. The transport service is refused.
    func postYankCleanup()
}
