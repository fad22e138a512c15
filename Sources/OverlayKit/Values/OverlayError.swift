import OverlayABI

/// The component that defines the native code of an error: `OVL_DOMAIN_…` of `overlay_types.h`. An open set.
///
/// ```swift
/// let error = OverlayError(
///     .rejected, "Paperboat refused the book.", subject: "Emma", domain: .readerApp, nativeCode: 17)
/// ```
public struct ErrorDomain: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: Int32

    /// Creates a domain from its number in the C contract.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The error has no native code.
    public static let none = ErrorDomain(rawValue: OVL_DOMAIN_NONE)
    /// An errno of the host.
    public static let posix = ErrorDomain(rawValue: OVL_DOMAIN_POSIX)
    /// A status of AFC.
    public static let afc = ErrorDomain(rawValue: OVL_DOMAIN_AFC)
    /// An error of lockdownd.
    public static let lockdown = ErrorDomain(rawValue: OVL_DOMAIN_LOCKDOWN)
    /// An error of house_arrest.
    public static let houseArrest = ErrorDomain(rawValue: OVL_DOMAIN_HOUSE_ARREST)
    /// An error of libimobiledevice's device functions.
    public static let idevice = ErrorDomain(rawValue: OVL_DOMAIN_IDEVICE)
    /// An error of installation_proxy.
    public static let installationProxy = ErrorDomain(rawValue: OVL_DOMAIN_INSTALLATION_PROXY)
    /// A result code of SQLite.
    public static let sqlite = ErrorDomain(rawValue: OVL_DOMAIN_SQLITE)
    /// A code of the reader app's own protocol.
    public static let readerApp = ErrorDomain(rawValue: OVL_DOMAIN_READER_APP)
    /// A code that the overlay defines.
    public static let overlay = ErrorDomain(rawValue: OVL_DOMAIN_OVERLAY)
}

/// The error of a call between host and overlay. The Swift form of `ovl_error`.
///
/// ```swift
/// let error = OverlayError(
///     .notFound, "The book does not exist.", subject: "/Documents/Emma.epub",
///     hint: "List the books again.")
/// ```
public struct OverlayError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var status: OverlayStatus
    /// One sentence for the user, without the name of the subject.
    public var message: String
    /// The subject of the error: a device path, book title, bundle identifier or key.
    public var subject: String?
    /// What the user can do about it.
    public var hint: String?
    /// The kind of help that `hint` gives, if it names an option of the command line.
    public var hintKind: HintKind?
    /// The component that defines `nativeCode`.
    public var domain: ErrorDomain
    /// The unchanged code of the lower layer.
    public var nativeCode: Int64
    /// Whether the same call may succeed if it is tried again.
    public var retryable: Bool

    /// Creates an error with a status and a message.
    public init(
        _ status: OverlayStatus, _ message: String, subject: String? = nil, hint: String? = nil,
        hintKind: HintKind? = nil, domain: ErrorDomain = .none, nativeCode: Int64 = 0, retryable: Bool = false
    ) {
        self.status = status
        self.message = message
        self.subject = subject
        self.hint = hint
        self.hintKind = hintKind
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

/// The result of a call between host and overlay: `OVL_…` of `overlay_types.h`.
///
/// An open set: treat a status that is not listed here as `failed`. Numbers are never reused.
///
/// ```swift
/// do throws(OverlayError) {
///     try host.transport.remove(.documents, "/Documents/Emma.epub")
/// } catch {
///     guard error.status == .notFound else { throw error }  // already gone
/// }
/// ```
public struct OverlayStatus: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: Int32

    /// Creates a status from its number in the C contract.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The call succeeded, and every result that the function promises was delivered.
    public static let ok = OverlayStatus(rawValue: OVL_OK)
    /// The call failed for a reason that other statuses do not cover; the message contains the reason.
    public static let failed = OverlayStatus(rawValue: OVL_FAILED)
    /// The user or the host cancelled the call.
    public static let cancelled = OverlayStatus(rawValue: OVL_CANCELLED)
    /// The deadline of the call, or the time limit of the reader app, has passed.
    public static let timedOut = OverlayStatus(rawValue: OVL_TIMED_OUT)
    /// The device was unplugged or switched off.
    public static let deviceGone = OverlayStatus(rawValue: OVL_DEVICE_GONE)
    /// This version of overlay, host, device or app does not support the call.
    public static let notSupported = OverlayStatus(rawValue: OVL_NOT_SUPPORTED)
    /// An argument does not match the documentation of the function.
    public static let invalidArgument = OverlayStatus(rawValue: OVL_INVALID_ARGUMENT)
    /// The file, folder, book, key or id does not exist.
    public static let notFound = OverlayStatus(rawValue: OVL_NOT_FOUND)
    /// iOS refuses access to the file or folder.
    public static let accessRefused = OverlayStatus(rawValue: OVL_ACCESS_REFUSED)
    /// An item with this name already exists and must not be replaced.
    public static let alreadyExists = OverlayStatus(rawValue: OVL_ALREADY_EXISTS)
    /// The device or the host does not have enough free space.
    public static let noSpace = OverlayStatus(rawValue: OVL_NO_SPACE)
    /// Another operation is running; try again later.
    public static let busy = OverlayStatus(rawValue: OVL_BUSY)
    /// Reading or writing on the device failed.
    public static let deviceIO = OverlayStatus(rawValue: OVL_DEVICE_IO)
    /// Reading or writing on the host failed.
    public static let hostIO = OverlayStatus(rawValue: OVL_HOST_IO)
    /// The answer of the device or the reader app does not conform to its protocol.
    public static let protocolError = OverlayStatus(rawValue: OVL_PROTOCOL_ERROR)
    /// A book, database or file is damaged.
    public static let damaged = OverlayStatus(rawValue: OVL_DAMAGED)
    /// The reader app does not support the format of the file.
    public static let unsupportedFormat = OverlayStatus(rawValue: OVL_UNSUPPORTED_FORMAT)
    /// The reader app is not listening.
    public static let appUnavailable = OverlayStatus(rawValue: OVL_APP_UNAVAILABLE)
    /// The reader app received the request and rejected it.
    public static let rejected = OverlayStatus(rawValue: OVL_REJECTED)
    /// The device is locked with a passcode.
    public static let deviceLocked = OverlayStatus(rawValue: OVL_DEVICE_LOCKED)
    /// The received content differs from the content that was sent.
    public static let verificationFailed = OverlayStatus(rawValue: OVL_VERIFICATION_FAILED)
    /// The function may not be called in this state, on this thread or from this method.
    public static let wrongState = OverlayStatus(rawValue: OVL_WRONG_STATE)
    /// The other side broke the contract.
    public static let contractBroken = OverlayStatus(rawValue: OVL_CONTRACT_BROKEN)
    /// A sink asked to stop.
    public static let stopped = OverlayStatus(rawValue: OVL_STOPPED)
    /// Not done, because this would lose what the message describes. Repeat the call with the user's consent.
    public static let needsConsent = OverlayStatus(rawValue: OVL_NEEDS_CONSENT)
    /// The file differs from the one that the caller knows; nothing was done.
    public static let changed = OverlayStatus(rawValue: OVL_CHANGED)
}

extension OverlayStatus: CustomStringConvertible {
    private static let names = [
        "ok", "failed", "cancelled", "timed-out", "device-gone", "not-supported", "invalid-argument",
        "not-found",
        "access-refused", "already-exists", "no-space", "busy", "device-io", "host-io", "protocol-error",
        "damaged",
        "unsupported-format", "app-unavailable", "rejected", "device-locked", "verification-failed",
        "wrong-state",
        "contract-broken", "stopped", "needs-consent", "changed",
    ]

    /// The name of the status as words joined by hyphens, or `status-N` for a number that this version does not know.
    public var description: String {
        Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "status-\(rawValue)"
    }
}
