import Glibc
import OverlayABI

/// The untouched number of a lower layer and who defined it.
public struct NativeCode: Hashable, Sendable, CustomStringConvertible {
    /// Who defined a native code: the `OVL_DOMAIN_…` numbers of the ABI, an open set.
    public struct Domain: RawRepresentable, Hashable, Sendable {
        /// The number of the ABI.
        public let rawValue: Int32

        /// A domain by its number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// errno of the host.
        public static let posix = Self(rawValue: OVL_DOMAIN_POSIX)
        /// AFC status.
        public static let afc = Self(rawValue: OVL_DOMAIN_AFC)
        /// lockdownd error.
        public static let lockdown = Self(rawValue: OVL_DOMAIN_LOCKDOWN)
        /// house_arrest error.
        public static let houseArrest = Self(rawValue: OVL_DOMAIN_HOUSE_ARREST)
        /// libimobiledevice's idevice error.
        public static let idevice = Self(rawValue: OVL_DOMAIN_IDEVICE)
        /// installation_proxy error.
        public static let installationProxy = Self(rawValue: OVL_DOMAIN_INSTALLATION_PROXY)
        /// SQLite result code.
        public static let sqlite = Self(rawValue: OVL_DOMAIN_SQLITE)
        /// A code of the reader app's own protocol.
        public static let readerApp = Self(rawValue: OVL_DOMAIN_READER_APP)
        /// A code the overlay defines for itself.
        public static let overlay = Self(rawValue: OVL_DOMAIN_OVERLAY)
        /// Result of usbmuxd; a number of the host, since no overlay can meet it.
        public static let usbmuxd = Self(rawValue: -1)
        /// A domain of the transport that the ABI does not number.
        public static let unnamed = Self(rawValue: -2)

        /// The name used in messages and JSON.
        public var name: String {
            switch self {
            case .posix: "errno"
            case .afc: "AFC"
            case .lockdown: "lockdownd"
            case .houseArrest: "house_arrest"
            case .idevice: "idevice"
            case .installationProxy: "installation_proxy"
            case .sqlite: "SQLite"
            case .readerApp: "reader app"
            case .overlay: "overlay"
            case .usbmuxd: "usbmuxd"
            case .unnamed: "device"
            default: "domain \(rawValue)"
            }
        }
    }

    /// Who defined the number.
    public var domain: Domain
    /// The number itself; 0 where the lower layer gives only a name.
    public var code: Int64
    /// The lower layer's name for it, if it has one.
    public var name: String?

    /// A number of a domain.
    public init(domain: Domain, code: Int64, name: String? = nil) {
        self.domain = domain
        self.code = code
        self.name = name
    }

    /// An errno of the host.
    public static func posix(_ code: Int32) -> NativeCode { NativeCode(domain: .posix, code: Int64(code)) }

    /// Such as `AFC 8 AFC_E_OBJECT_NOT_FOUND`.
    public var description: String {
        name.map { code == 0 ? "\(domain.name) \($0)" : "\(domain.name) \(code) \($0)" }
            ?? "\(domain.name) \(code)"
    }
}
