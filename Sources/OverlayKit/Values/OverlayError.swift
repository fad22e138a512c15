import OverlayABI

/// Who defined the native code of an error: `OVL_DOMAIN_…` of `overlay_types.h`. An open set.
public struct ErrorDomain: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: Int32

    /// A domain by its number in the C contract.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// There is no native code.
    public static let none = ErrorDomain(rawValue: OVL_DOMAIN_NONE)
    /// errno of the host.
    public static let posix = ErrorDomain(rawValue: OVL_DOMAIN_POSIX)
    /// AFC status.
    public static let afc = ErrorDomain(rawValue: OVL_DOMAIN_AFC)
    /// lockdownd error.
    public static let lockdown = ErrorDomain(rawValue: OVL_DOMAIN_LOCKDOWN)
    /// house_arrest error.
    public static let houseArrest = ErrorDomain(rawValue: OVL_DOMAIN_HOUSE_ARREST)
    /// Error of libimobiledevice's device functions.
    public static let idevice = ErrorDomain(rawValue: OVL_DOMAIN_IDEVICE)
    /// installation_proxy error.
    public static let installationProxy = ErrorDomain(rawValue: OVL_DOMAIN_INSTALLATION_PROXY)
    /// SQLite result code.
    public static let sqlite = ErrorDomain(rawValue: OVL_DOMAIN_SQLITE)
    /// A code of the reader app's own protocol.
    public static let readerApp = ErrorDomain(rawValue: OVL_DOMAIN_READER_APP)
    /// A code the overlay defines for itself.
    public static let overlay = ErrorDomain(rawValue: OVL_DOMAIN_OVERLAY)
}

/// Why a call across the boundary failed; the Swift form of `ovl_error`.
public struct OverlayError: Error, Hashable, Sendable {
    /// What kind of failure it is.
    public var status: OverlayStatus
    /// One sentence for a person, without the subject's name.
    public var message: String
    /// What it happened to: a device path, book title, bundle id, key.
    public var subject: String?
    /// What the person can do about it.
    public var hint: String?
    /// Who defined `nativeCode`.
    public var domain: ErrorDomain
    /// The untouched code of the lower layer.
    public var nativeCode: Int64
    /// Whether the same call may succeed when tried again.
    public var retryable: Bool

    /// An error with a status and a sentence, and whatever else is known.
    public init(
        _ status: OverlayStatus, _ message: String, subject: String? = nil, hint: String? = nil,
        domain: ErrorDomain = .none, nativeCode: Int64 = 0, retryable: Bool = false
    ) {
        self.status = status
        self.message = message
        self.subject = subject
        self.hint = hint
        self.domain = domain
        self.nativeCode = nativeCode
        self.retryable = retryable
    }
}

extension OverlayError {
    /// Whether nothing more can be done with the device in this call.
    package var endsTheCall: Bool { [.cancelled, .timedOut, .deviceGone, .stopped].contains(status) }
}

extension OverlayError: CustomStringConvertible {
    /// Status, subject, message, native code and hint on one line, for logs.
    public var description: String {
        var text = "\(status): "
        if let subject { text += "\(subject): " }
        text += message
        if domain != .none { text += " (domain \(domain.rawValue), code \(nativeCode))" }
        if let hint { text += " \(hint)" }
        return text
    }
}
