/// The unchanged number or name of a failure in a lower layer, and the component that defines it.
///
/// ```swift
/// func isDiskFull(_ error: HostError) -> Bool {
///     if let native = error.native { print(native) }  // such as: AFC 8 AFC_E_OBJECT_NOT_FOUND
///     return error.native == .posix(ENOSPC)
/// }
/// ```
public struct NativeCode: Hashable, Sendable, CustomStringConvertible {
    /// The component that defines the number.
    public var domain: Domain
    /// The number; nil if the lower layer only provides a name.
    public var number: Int64?
    /// The name in the lower layer, such as `AFC_E_PERM_DENIED`; nil if there is none.
    public var name: String?

    /// Creates a code from a number, a name, or both.
    public init(_ domain: Domain, _ number: Int64?, _ name: String? = nil) {
        self.domain = domain
        self.number = number
        self.name = name
    }

    /// Creates a code for an `errno` of the host.
    public static func posix(_ number: Int32) -> NativeCode { NativeCode(.posix, Int64(number)) }

    /// The code as text, such as `AFC 8 AFC_E_OBJECT_NOT_FOUND`.
    public var description: String {
        ([domain.title] + (number.map { [String($0)] } ?? []) + (name.map { [$0] } ?? [])).joined(
            separator: " ")
    }
}

extension NativeCode {
    /// The component that defines a native code: an open set, compared by its text.
    public struct Domain: RawRepresentable, Hashable, Sendable {
        /// The text, which does not change.
        public let rawValue: String

        /// Creates a domain from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An `errno` of the host.
        public static let posix = Self(rawValue: "posix")
        /// A status of AFC, the file service.
        public static let afc = Self(rawValue: "afc")
        /// An error of lockdownd.
        public static let lockdown = Self(rawValue: "lockdownd")
        /// An error of house_arrest.
        public static let houseArrest = Self(rawValue: "house_arrest")
        /// An `idevice_error_t` of libimobiledevice.
        public static let idevice = Self(rawValue: "idevice")
        /// An error of installation_proxy.
        public static let installationProxy = Self(rawValue: "installation_proxy")
        /// A result of usbmuxd.
        public static let usbmuxd = Self(rawValue: "usbmuxd")
        /// A result code of SQLite.
        public static let sqlite = Self(rawValue: "sqlite")
        /// A code of the reader app's own protocol.
        public static let readerApp = Self(rawValue: "reader_app")
        /// A code that an overlay defines.
        public static let overlay = Self(rawValue: "overlay")

        /// The domain for display.
        public var title: String {
            switch self {
            case .posix: "errno"
            case .afc: "AFC"
            case .idevice: "idevice"
            case .sqlite: "SQLite"
            case .readerApp: "reader app"
            default: rawValue
            }
        }
    }
}
