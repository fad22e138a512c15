/// One attached device, as usbmuxd lists it. No communication with the device is needed.
public struct DeviceDescription: Sendable, Hashable {
    /// The UDID: 40 hexadecimal digits, or 8, a dash and 16 on newer devices.
    public let udid: String
    /// The links by which it can be reached, USB first; never empty.
    public let links: [DeviceLink]

    /// Creates a description and sorts `links`.
    public init(udid: String, links: [DeviceLink]) {
        self.udid = udid
        self.links = links.sorted { $0 == .usb && $1 != .usb }
    }

    /// The link to use: USB if there is a cable.
    public var preferredLink: DeviceLink { links.first ?? .usb }
}

/// The kind of connection to a device.
public enum DeviceLink: String, Sendable, Hashable, CaseIterable {
    /// By cable.
    case usb
    /// By network.
    case network
}
