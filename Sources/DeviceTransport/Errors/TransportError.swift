@_exported import Diagnostics

/// The reason why an operation with a device failed.
///
/// `subject` is the path, app or device concerned. `native` is the code from the device, a library or the system.
///
/// ```swift
/// do {
///     try files.write(.bytes(book), to: "/Documents/Emma.epub")
/// } catch where error.code == .noSpace {
///     print(error.message, error.hint ?? "")
/// }
/// ```
public typealias TransportError = Failure<TransportErrorCode>

/// The kind of a `TransportError`. Later versions may add codes: treat an unknown code like `ioFailure`.
public struct TransportErrorCode: FailureCode {
    /// The text of the code, for logs: lower case words joined by `_`.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// usbmuxd does not answer, so no devices can be found.
    public static let muxUnavailable = Self("mux_unavailable")
    /// No device is attached, or none matches.
    public static let noDevice = Self("no_device")
    /// Several devices match.
    public static let ambiguousDevice = Self("ambiguous_device")
    /// The device was unplugged, or usbmuxd lost it.
    public static let deviceGone = Self("device_gone")
    /// The device does not trust the host, or has forgotten the pairing.
    public static let notPaired = Self("not_paired")
    /// The trust dialog is open on the device and has not been answered.
    public static let pairingPending = Self("pairing_pending")
    /// The user chose not to trust the host.
    public static let pairingDenied = Self("pairing_denied")
    /// The device is locked with its passcode.
    public static let passcodeLocked = Self("passcode_locked")
    /// The app is not on the device.
    public static let appNotInstalled = Self("app_not_installed")
    /// iOS does not give access to this app's files.
    public static let accessRefused = Self("access_refused")
    /// The device did not start a service.
    public static let serviceRefused = Self("service_refused")
    /// The encrypted connection could not be established, or broke.
    public static let tlsFailed = Self("tls_failed")
    /// The device closed one connection but is still there.
    public static let connectionLost = Self("connection_lost")
    /// The file or folder does not exist.
    public static let notFound = Self("not_found")
    /// The device does not permit this operation on this path.
    public static let permissionDenied = Self("permission_denied")
    /// A file or folder of that name already exists.
    public static let exists = Self("exists")
    /// The device or the host is full.
    public static let noSpace = Self("no_space")
    /// The path is a folder, but a file was expected.
    public static let isFolder = Self("is_folder")
    /// The path is a file, but a folder was expected.
    public static let notFolder = Self("not_folder")
    /// The folder has entries, and the call did not ask to remove them.
    public static let folderNotEmpty = Self("folder_not_empty")
    /// Another program or call is using this; try again.
    public static let busy = Self("busy")
    /// The time limit of the call passed, or the device did not respond for too long.
    public static let timedOut = Self("timed_out")
    /// The call was cancelled.
    public static let cancelled = Self("cancelled")
    /// The device violated the protocol, or reported success without a result.
    public static let protocolViolation = Self("protocol_violation")
    /// The content on the device, or read back from it, differs from the content that was sent.
    public static let verificationFailed = Self("verification_failed")
    /// An argument is outside its documented range.
    public static let invalidArgument = Self("invalid_argument")
    /// The device does not support this.
    public static let notSupported = Self("not_supported")
    /// The data exceed the limit of the caller or of this module.
    public static let tooLarge = Self("too_large")
    /// This process has so many open files that libimobiledevice would not work.
    public static let tooManyDescriptors = Self("too_many_descriptors")
    /// Reading or writing failed, on the device or on the host.
    public static let ioFailure = Self("io_failure")
    /// An internal error, such as lack of memory or a library in an unexpected state.
    public static let internalFailure = Self("internal_failure")
}

extension TransportError {
    /// Whether the error interrupts a transfer, so that a later one can continue it.
    var cutsOff: Bool { [.cancelled, .timedOut, .connectionLost, .deviceGone].contains(code) }

    static var trustHint: String {
        "Unlock the device, run 'overlayhost doctor', and tap Trust on the device."
    }
    static var unlockHint: String { "Unlock the device with its passcode and try again." }
    static var reconnectHint: String { "Reconnect the device and try again." }

    /// The error for a violation of the protocol by the device or usbmuxd.
    static func violation(_ message: String) -> TransportError {
        TransportError(.protocolViolation, message, hint: reconnectHint)
    }
}
