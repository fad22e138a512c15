@_exported import Diagnostics

/// Why a conversation with a device failed.
///
/// `subject` is the path, the app or the device concerned, `native` the code that the device, a library or the system gave.
///
/// ```swift
/// do {
///     try files.write(.bytes(book), to: "/Documents/Emma.epub")
/// } catch where error.code == .noSpace {
///     print(error.message, error.hint ?? "")
/// }
/// ```
public typealias TransportError = Failure<TransportErrorCode>

/// The kind of a `TransportError`. The list may grow: treat an unknown code like `ioFailure`.
public struct TransportErrorCode: FailureCode {
    /// Lower case words joined by `_`, for logs.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// No usbmuxd answers, so no device can be seen.
    public static let muxUnavailable = Self("mux_unavailable")
    /// No attached device, or none that matches.
    public static let noDevice = Self("no_device")
    /// Several devices match.
    public static let ambiguousDevice = Self("ambiguous_device")
    /// The device was unplugged, or usbmuxd lost it.
    public static let deviceGone = Self("device_gone")
    /// The device does not trust the host, or forgot that it did.
    public static let notPaired = Self("not_paired")
    /// The trust dialog is open on the device and waits for an answer.
    public static let pairingPending = Self("pairing_pending")
    /// The person chose not to trust the host.
    public static let pairingDenied = Self("pairing_denied")
    /// The device is locked with its passcode.
    public static let passcodeLocked = Self("passcode_locked")
    /// The app is not on the device.
    public static let appNotInstalled = Self("app_not_installed")
    /// iOS does not give access to this app's files.
    public static let accessRefused = Self("access_refused")
    /// The device did not start a service, or not one more of it.
    public static let serviceRefused = Self("service_refused")
    /// The encrypted connection could not be made, or broke.
    public static let tlsFailed = Self("tls_failed")
    /// The device closed one connection but is still there.
    public static let connectionLost = Self("connection_lost")
    /// No such file or folder.
    public static let notFound = Self("not_found")
    /// The device does not permit this operation on this path.
    public static let permissionDenied = Self("permission_denied")
    /// A file or folder of that name exists already.
    public static let exists = Self("exists")
    /// The device or the host is full.
    public static let noSpace = Self("no_space")
    /// A folder where a file was expected.
    public static let isFolder = Self("is_folder")
    /// A file where a folder was expected.
    public static let notFolder = Self("not_folder")
    /// The folder has entries, and the call did not ask to remove them.
    public static let folderNotEmpty = Self("folder_not_empty")
    /// Another program or call uses this; try again.
    public static let busy = Self("busy")
    /// The limit set for the call passed, or the device was silent for too long.
    public static let timedOut = Self("timed_out")
    /// The call was cancelled.
    public static let cancelled = Self("cancelled")
    /// The device sent what the protocol does not allow, or reported success without a result.
    public static let protocolViolation = Self("protocol_violation")
    /// The content on the device, or fetched from it, differs from what was sent.
    public static let verificationFailed = Self("verification_failed")
    /// The caller gave an argument outside of what is documented.
    public static let invalidArgument = Self("invalid_argument")
    /// The device cannot do this.
    public static let notSupported = Self("not_supported")
    /// More was to be read than the caller or this module allows.
    public static let tooLarge = Self("too_large")
    /// This process has so many open files that libimobiledevice could not work.
    public static let tooManyDescriptors = Self("too_many_descriptors")
    /// Reading or writing failed, on the device or on the host.
    public static let ioFailure = Self("io_failure")
    /// A fault that should not happen: out of memory, a library in an unexpected state.
    public static let internalFailure = Self("internal_failure")
}

extension TransportError {
    /// Whether a transfer was cut off, so that a later one can go on with what there is of it.
    var cutsOff: Bool { [.cancelled, .timedOut, .connectionLost, .deviceGone].contains(code) }

    static var trustHint: String {
        "Unlock the device, run 'overlayhost doctor', and tap Trust on the device."
    }
    static var unlockHint: String { "Unlock the device with its passcode and try again." }
    static var reconnectHint: String { "Reconnect the device and try again." }

    /// The device, or usbmuxd, sent what the protocol does not allow.
    static func violation(_ message: String) -> TransportError {
        TransportError(.protocolViolation, message, hint: reconnectHint)
    }
}
