/// A failure as a lower layer named it: the untouched number or name, and who defined it.
public struct NativeCode: Hashable, Sendable, CustomStringConvertible {
    /// Who defined the number.
    public var domain: Domain
    /// The number. Nil where the lower layer gives only a name.
    public var number: Int64?
    /// The lower layer's name for it, such as `AFC_E_PERM_DENIED`. Nil when it has none.
    public var name: String?

    /// A number, a name, or both.
    public init(_ domain: Domain, _ number: Int64?, _ name: String? = nil) {
        self.domain = domain
        self.number = number
        self.name = name
    }

    /// An `errno` of the host.
    public static func posix(_ number: Int32) -> NativeCode { NativeCode(.posix, Int64(number)) }

    /// Such as `AFC 8 AFC_E_OBJECT_NOT_FOUND`.
    public var description: String {
        ([domain.title] + (number.map { [String($0)] } ?? []) + (name.map { [$0] } ?? [])).joined(
            separator: " ")
    }
}

extension NativeCode {
    /// Who defined a native code: an open set, compared by its text.
    public struct Domain: RawRepresentable, Hashable, Sendable {
        /// The stable spelling.
        public let rawValue: String

        /// A domain by its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `errno` of the host.
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
        /// A code that an overlay defines for itself.
        public static let overlay = Self(rawValue: "overlay")

        /// The domain as people read it.
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
