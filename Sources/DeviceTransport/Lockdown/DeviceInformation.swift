/// What a device says about itself. A value the device does not give is nil, never a failure.
public struct DeviceInformation: Sendable, Hashable {
    /// Everything lockdownd gave, by its key.
    public let values: [String: DeviceValue]

    /// Wraps the values of lockdownd's default domain.
    public init(values: [String: DeviceValue]) { self.values = values }

    /// The name its owner gave it.
    public var name: String? { values["DeviceName"]?.string }
    /// The model, e.g. `iPad7,11`.
    public var productType: String? { values["ProductType"]?.string }
    /// The version of iOS, e.g. `12.5.7`.
    public var productVersion: String? { values["ProductVersion"]?.string }
    /// The build of iOS, e.g. `16H81`.
    public var buildVersion: String? { values["BuildVersion"]?.string }
    /// `iPhone`, `iPad` or `iPod`.
    public var deviceClass: String? { values["DeviceClass"]?.string }
    /// The serial number printed on the device.
    public var serialNumber: String? { values["SerialNumber"]?.string }
    /// The unique id as the device itself knows it.
    public var uniqueDeviceID: String? { values["UniqueDeviceID"]?.string }
    /// Whether the device is locked with its passcode right now.
    public var isPasscodeLocked: Bool? { values["PasswordProtected"]?.bool }

    /// The version of iOS as numbers, for comparing; nil when it is absent or no version.
    public var version: [Int]? {
        guard let productVersion else { return nil }
        let parts = productVersion.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil && $0! >= 0 }) else { return nil }
        return parts.compactMap { $0 }
    }

    /// Whether iOS is at least `major.minor`; nil when the version is unknown.
    public func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool? {
        guard let version, let first = version.first else { return nil }
        let second = version.count > 1 ? version[1] : 0
        return (first, second) >= (major, minor)
    }
}
