/// One app on a device, as installation_proxy lists it.
public struct InstalledApp: Sendable, Hashable {
    /// The bundle id, e.g. `com.appstafarian.MarvinIP`.
    public let bundleID: String
    /// Everything installation_proxy gave, by its key.
    public let attributes: [String: DeviceValue]

    /// Makes an app from what installation_proxy gave.
    public init(bundleID: String, attributes: [String: DeviceValue]) {
        self.bundleID = bundleID
        self.attributes = attributes
    }

    /// The name below its icon, or the bundle's name, or the bundle id.
    public var name: String {
        attributes["CFBundleDisplayName"]?.string ?? attributes["CFBundleName"]?.string ?? bundleID
    }
    /// The version a person sees, or else the build's.
    public var version: String? {
        attributes["CFBundleShortVersionString"]?.string ?? attributes["CFBundleVersion"]?.string
    }
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`); some apps say so with a string.
    public var sharesFiles: Bool {
        switch attributes["UIFileSharingEnabled"] {
        case .string(let text)?: ["yes", "true", "1"].contains(text.lowercased())
        case let value?: value.bool ?? false
        case nil: false
        }
    }
    /// `User` or `System`.
    public var applicationType: String? { attributes["ApplicationType"]?.string }
}
