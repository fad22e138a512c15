import OverlayABI

/// The device and the app an instance serves; the Swift form of `ovl_device`.
public struct DeviceInfo: Hashable, Sendable {
    /// The UDID.
    public var udid: String?
    /// The name its owner gave it.
    public var name: String?
    /// ProductType, such as `iPad2,5`.
    public var model: String?
    /// ProductVersion, such as `8.1.3`.
    public var iosVersion: String?
    /// Bundle id of the reader app.
    public var appID: String?
    /// Name of the reader app.
    public var appName: String?
    /// Version of the reader app as iOS reports it.
    public var appVersion: String?
    /// Extensions of the files the app says it opens, in lower case, without a dot, in its order. Empty: unknown.
    public var appFormats: [String]
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`).
    public var appFileSharing: Bool
    /// Whether the device is connected over Wi-Fi, not by a cable.
    public var isOverNetwork: Bool

    /// A device and its app.
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
