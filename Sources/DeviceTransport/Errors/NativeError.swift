/// A failure as the device, a library or the system named it.
public struct NativeError: Sendable, Hashable, CustomStringConvertible {
    /// Whose code it is.
    public var domain: Domain
    /// The number; nil where the protocol gives only a name.
    public var number: Int64?
    /// The name, e.g. `ApplicationLookupFailed` or `AFC_E_PERM_DENIED`.
    public var name: String?

    /// Makes a native code.
    public init(_ domain: Domain, _ number: Int64?, _ name: String? = nil) {
        self.domain = domain
        self.number = number
        self.name = name
    }

    /// For example `afc 10 AFC_E_PERM_DENIED`.
    public var description: String {
        ([domain.rawValue] + (number.map { [String($0)] } ?? []) + (name.map { [$0] } ?? []))
            .joined(separator: " ")
    }

    /// Whose code a native code is.
    public struct Domain: RawRepresentable, Hashable, Sendable {
        /// The stable spelling.
        public let rawValue: String

        /// Makes a domain from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A status of the file service (AFC).
        public static let afc = Domain(rawValue: "afc")
        /// `lockdownd_error_t` or an error name of lockdownd.
        public static let lockdownd = Domain(rawValue: "lockdownd")
        /// `idevice_error_t`.
        public static let idevice = Domain(rawValue: "idevice")
        /// `house_arrest_error_t` or an error name of house_arrest.
        public static let houseArrest = Domain(rawValue: "house_arrest")
        /// `instproxy_error_t` or an error name of installation_proxy.
        public static let installationProxy = Domain(rawValue: "instproxy")
        /// A result of usbmuxd.
        public static let usbmuxd = Domain(rawValue: "usbmuxd")
        /// An `errno` of this computer.
        public static let posix = Domain(rawValue: "posix")
    }
}
