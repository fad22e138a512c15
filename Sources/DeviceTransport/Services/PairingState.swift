/// Whether device and computer trust each other.
///
/// Finding out never pairs them, and then lockdownd tells `notPaired` from `stale` alone: that its question is on the screen,
/// was answered with no, or cannot be shown on a locked screen it says only to a computer that asks for its trust.
public enum PairingState: String, Sendable, Hashable, CaseIterable {
    /// They do.
    case paired
    /// This computer has no pair record of the device.
    case notPaired = "not-paired"
    /// This computer has a record, but the device has forgotten it: pair again.
    case stale
    /// The trust dialog is open on the device.
    case pending
    /// The person chose not to trust this computer.
    case denied
    /// The device has to be unlocked before it tells.
    case locked
}
