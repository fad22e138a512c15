/// News about a device.
public struct DeviceEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable {
        /// The device is there. Also sent once for each device that was there when the subscription began.
        case attached
        /// The device is gone. Also sent for each device when usbmuxd itself goes away.
        case detached
        /// This computer was paired with the device.
        case paired
    }

    /// What happened.
    public let kind: Kind
    /// The device's unique id.
    public let udid: String
    /// The way it came or went.
    public let link: DeviceLink

    /// Makes an event.
    public init(kind: Kind, udid: String, link: DeviceLink) {
        self.kind = kind
        self.udid = udid
        self.link = link
    }
}
