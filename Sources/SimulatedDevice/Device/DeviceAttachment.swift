/// The ways a simulated device is connected to the computer.
public enum DeviceAttachment: String, Sendable, Equatable, CaseIterable {
    /// By cable.
    case usb
    /// By network: clients reach it by TCP at a loopback address of its own instead of through the daemon.
    case network
    /// Both at once, as two entries with the same UDID.
    case usbAndNetwork
}
