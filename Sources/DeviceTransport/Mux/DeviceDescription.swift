/// One attached device, as usbmuxd lists it, without a conversation with the device.
public struct DeviceDescription: Sendable, Hashable {
    /// The device's unique id: 40 hexadecimal digits, or 8, a dash and 16 on newer devices.
    public let udid: String
    /// The ways it can be reached, USB first; never empty.
    public let links: [DeviceLink]

    /// Makes a description; `links` is put in order.
    public init(udid: String, links: [DeviceLink]) {
        self.udid = udid
        self.links = links.sorted { $0 == .usb && $1 != .usb }
    }

    /// The link that is used: USB if there is a cable.
    public var preferredLink: DeviceLink { links.first ?? .usb }
}

/// How a device is reached.
public enum DeviceLink: String, Sendable, Hashable, CaseIterable {
    /// Through a cable.
    case usb
    /// Over the network.
    case network
}
