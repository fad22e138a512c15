/// The values that a device reports about itself. A value that the device does not report is nil.
public struct DeviceInformation: Sendable, Hashable {
    /// All values from lockdownd, by key.
    public let values: [String: DeviceValue]

    /// Creates information from the values of lockdownd's default domain.
    public init(values: [String: DeviceValue]) { self.values = values }

    /// The name that the user gave the device; nil if it is empty.
    public var name: String? { values["DeviceName"]?.visibleText }
    /// The model, e.g. `iPad7,11`.
    public var productType: String? { values["ProductType"]?.string }
    /// The version of iOS, e.g. `12.5.7`.
    public var productVersion: String? { values["ProductVersion"]?.string }
    /// `iPhone`, `iPad` or `iPod`.
    public var deviceClass: String? { values["DeviceClass"]?.string }
    /// The UDID as the device reports it.
    public var uniqueDeviceID: String? { values["UniqueDeviceID"]?.string }
    /// Whether the device is locked with its passcode right now.
    public var isPasscodeLocked: Bool? { values["PasswordProtected"]?.bool }

    /// The version of iOS as numbers, for comparisons; nil if it is missing or not a version.
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
