import OverlayABI

/// The device and the app of an instance. The Swift form of `ovl_device`.
///
/// ```swift
/// let device = try host.transport.device()
/// let formats = device.appFormats.isEmpty ? ["epub"] : device.appFormats
/// let hasTags = device.appVersion?.hasPrefix("1.") == false
/// ```
public struct DeviceInfo: Hashable, Sendable {
    /// The UDID.
    public var udid: String?
    /// The name that the owner chose.
    public var name: String?
    /// The ProductType, such as `iPad2,5`.
    public var model: String?
    /// The ProductVersion, such as `8.1.3`.
    public var iosVersion: String?
    /// The bundle identifier of the reader app.
    public var appID: String?
    /// The name of the reader app.
    public var appName: String?
    /// The version of the reader app as reported by iOS.
    public var appVersion: String?
    /// The extensions of the files that the app declares to open, in lower case, without a dot, in the app's order;
    /// empty if unknown.
    public var appFormats: [String]
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`).
    public var appFileSharing: Bool
    /// Whether the device is connected over Wi-Fi, not by a cable.
    public var isOverNetwork: Bool

    /// Creates the description of a device and its app.
    public init(
        udid: String? = nil, name: String? = nil, model: String? = nil, iosVersion: String? = nil,
        appID: String? = nil, appName: String? = nil, appVersion: String? = nil, appFormats: [String] = [],
        appFileSharing: Bool = false, isOverNetwork: Bool = false
    ) {
        self.udid = udid
        self.name = name
        self.model = model
        self.iosVersion = iosVersion
        self.appID = appID
        self.appName = appName
        self.appVersion = appVersion
        self.appFormats = appFormats
        self.appFileSharing = appFileSharing
        self.isOverNetwork = isOverNetwork
    }
}
