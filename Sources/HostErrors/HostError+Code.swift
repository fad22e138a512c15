import Diagnostics

/// The kind of a `HostError`, which is also the `code` of the JSON output.
///
/// ```swift
/// func advice(_ code: HostErrorCode) -> String? {
///     switch code {
///     case .noDevice, .deviceGone: "Connect the device."
///     case .deviceLocked: "Unlock the device."
///     case .busy, .timedOut: "Try again later."
///     default: nil
///     }
/// }
/// ```
public struct HostErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }
}

// The codes for the statuses of the contract (overlay_types.h).
extension HostErrorCode {
    /// A failure for which there is no other code.
    public static let failed = Self("failed")
    /// The user cancelled.
    public static let cancelled = Self("cancelled")
    /// A deadline has passed.
    public static let timedOut = Self("timed_out")
    /// The device was unplugged or switched off.
    public static let deviceGone = Self("device_gone")
    /// This version of overlay, device or app does not support the operation.
    public static let notSupported = Self("not_supported")
    /// An argument does not match the documentation.
    public static let invalidArgument = Self("invalid_argument")
    /// The file, folder, book, key or id does not exist.
    public static let notFound = Self("not_found")
    /// iOS refuses access to the file or folder.
    public static let accessRefused = Self("access_refused")
    /// An item with this name already exists and must not be replaced.
    public static let alreadyExists = Self("already_exists")
    /// The device or the host does not have enough free space.
    public static let noSpace = Self("no_space")
    /// Another operation is running.
    public static let busy = Self("busy")
    /// Reading or writing on the device failed.
    public static let deviceIO = Self("device_io")
    /// Reading or writing on the host failed.
    public static let hostIO = Self("host_io")
    /// The answer of the device or the reader app does not conform to its protocol.
    public static let protocolError = Self("protocol_error")
    /// A book, database or file is damaged.
    public static let damaged = Self("damaged")
    /// The reader app does not support the format of the file.
    public static let unsupportedFormat = Self("unsupported_format")
    /// The reader app is not listening.
    public static let appUnavailable = Self("app_unavailable")
    /// The reader app received the request and rejected it.
    public static let rejected = Self("rejected")
    /// The device is locked with a passcode.
    public static let deviceLocked = Self("device_locked")
    /// The received content differs from the content that was sent.
    public static let verificationFailed = Self("verification_failed")
    /// A function was called in a state, on a thread or from a method in which this is not allowed.
    public static let wrongState = Self("wrong_state")
    /// The overlay broke the contract.
    public static let contractBroken = Self("contract_broken")
    /// A sink asked to stop. Never the final result of a command.
    public static let stopped = Self("stopped")
    /// An item was skipped, because the operation would lose what the message describes. Repeat it with the user's
    /// consent.
    public static let needsConsent = Self("needs_consent")
    /// A file was changed, created or removed after it was examined. Nothing was done; try again.
    public static let changed = Self("changed")
}

// The codes that have no status in the contract.
extension HostErrorCode {
    /// The command was used incorrectly.
    public static let usage = Self("usage")
    /// A file on the host is missing or unreadable.
    public static let inputUnreadable = Self("input_unreadable")
    /// A file on the host cannot be created or written.
    public static let outputNotCreated = Self("output_not_created")
    /// A range of bytes begins after the end.
    public static let rangeNotSatisfiable = Self("range_not_satisfiable")
    /// Some items of a batch failed, as their rows show.
    public static let itemsFailed = Self("items_failed")
    /// usbmuxd cannot be reached.
    public static let deviceServiceUnavailable = Self("device_service_unavailable")
    /// No device is attached, or none matches.
    public static let noDevice = Self("no_device")
    /// Several devices match, and none was chosen.
    public static let deviceNotChosen = Self("device_not_chosen")
    /// The device does not trust this computer.
    public static let notPaired = Self("not_paired")
    /// The device is asking its owner whether to trust this computer.
    public static let pairingPending = Self("pairing_pending")
    /// The device's owner chose not to trust this computer.
    public static let pairingDenied = Self("pairing_denied")
    /// The reader app is not on the device.
    public static let appNotInstalled = Self("app_not_installed")
    /// No reader app was chosen, and the choice is ambiguous.
    public static let appNotChosen = Self("app_not_chosen")
    /// No overlay serves the reader app.
    public static let noOverlay = Self("no_overlay")
    /// A file is not an overlay that this host can load.
    public static let overlayRefused = Self("overlay_refused")
    /// The overlay crashed, hung or broke a rule.
    public static let overlayBroke = Self("overlay_broke")
    /// The preferences file is not a valid JSON object.
    public static let prefsDamaged = Self("prefs_damaged")
    /// A preference has a value of the wrong type or outside its range.
    public static let prefsInvalidValue = Self("prefs_invalid_value")
    /// No preference has this key.
    public static let prefsUnknownKey = Self("prefs_unknown_key")
    /// The preferences file cannot be read.
    public static let prefsUnreadable = Self("prefs_unreadable")
    /// The preferences file cannot be written.
    public static let prefsUnwritable = Self("prefs_unwritable")
    /// A setting outside the preferences file is invalid.
    public static let configuration = Self("configuration")
}
