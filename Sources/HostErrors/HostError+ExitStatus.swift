import Diagnostics

/// The exit status of a program, with numbers of sysexits.h.
///
/// ```swift
/// func end(after result: BatchResult) -> Never {
///     let isDone = result.rows.allSatisfy { $0.status != .failed }
///     let status = result.failure?.exitStatus ?? (isDone ? ExitStatus.done : .someFailed)
///     exit(status.rawValue)
/// }
/// ```
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The number, 0 to 255.
    public let rawValue: Int32

    /// Creates a status from its number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The program succeeded.
    public static let done = Self(rawValue: 0)
    /// Some items failed.
    public static let someFailed = Self(rawValue: 1)
    /// The command was used incorrectly.
    public static let usage = Self(rawValue: 64)
    /// Input is missing or unreadable.
    public static let noInput = Self(rawValue: 66)
    /// No device, app or overlay is available.
    public static let unavailable = Self(rawValue: 69)
    /// The overlay crashed, hung or broke a rule.
    public static let overlayBroke = Self(rawValue: 70)
    /// Output cannot be created.
    public static let cannotCreate = Self(rawValue: 73)
    /// Input or output failed, usually on the device.
    public static let inputOutput = Self(rawValue: 74)
    /// The operation timed out or the device is busy: try again.
    public static let tryAgain = Self(rawValue: 75)
    /// Pairing, passcode or iOS refused the operation.
    public static let refused = Self(rawValue: 77)
    /// Preferences or configuration are invalid.
    public static let configuration = Self(rawValue: 78)
    /// The program was interrupted.
    public static let interrupted = Self(rawValue: 130)
}

extension HostErrorCode {
    /// The exit status for a program that ends with this kind of error. An unknown code counts as a general failure
    /// (1).
    public var exitStatus: ExitStatus { Self.exitStatuses[self] ?? .someFailed }

    /// The exit statuses of the codes in this module.
    package static let exitStatuses: [HostError.Code: ExitStatus] = [
        .failed: .someFailed, .rejected: .someFailed, .itemsFailed: .someFailed,
        .needsConsent: .someFailed,
        .usage: .usage, .invalidArgument: .usage,
        .inputUnreadable: .noInput, .notFound: .noInput, .damaged: .noInput, .unsupportedFormat: .noInput,
        .rangeNotSatisfiable: .noInput,
        .deviceServiceUnavailable: .unavailable, .noDevice: .unavailable, .deviceNotChosen: .unavailable,
        .appNotInstalled: .unavailable, .appNotChosen: .unavailable, .appUnavailable: .unavailable,
        .noOverlay: .unavailable, .overlayRefused: .unavailable, .notSupported: .unavailable,
        .overlayBroke: .overlayBroke, .contractBroken: .overlayBroke, .wrongState: .overlayBroke,
        .stopped: .overlayBroke,
        .outputNotCreated: .cannotCreate, .alreadyExists: .cannotCreate, .noSpace: .cannotCreate,
        .deviceIO: .inputOutput, .hostIO: .inputOutput, .deviceGone: .inputOutput,
        .protocolError: .inputOutput,
        .verificationFailed: .inputOutput,
        .timedOut: .tryAgain, .busy: .tryAgain, .changed: .tryAgain,
        .accessRefused: .refused, .deviceLocked: .refused, .notPaired: .refused,
        .pairingPending: .refused, .pairingDenied: .refused,
        .prefsDamaged: .configuration, .prefsInvalidValue: .configuration, .prefsUnknownKey: .configuration,
        .prefsUnreadable: .configuration, .prefsUnwritable: .configuration, .configuration: .configuration,
        .cancelled: .interrupted,
    ]
}
