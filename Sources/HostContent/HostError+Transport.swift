import DeviceTransport
import Diagnostics
import HostErrors

extension Failure where Code == HostErrorCode {
    /// Converts an error of the communication with a device. The transport's error is kept in `underlying`, and the
    /// device's code in `native`.
    public init(_ error: TransportError) {
        let code = Code(transport: error.code)
        self.init(
            code, error.message, subject: error.subject, hint: error.hint, hintCode: error.hintCode,
            isRetryable: [.busy, .timedOut].contains(code) || error.code == .connectionLost,
            native: error.native, underlying: error)
    }
}

extension HostErrorCode {
    /// The host's codes for the codes of the transport.
    package static let transportCodes: [TransportError.Code: HostError.Code] = [
        .muxUnavailable: .deviceServiceUnavailable, .noDevice: .noDevice, .ambiguousDevice: .deviceNotChosen,
        .deviceGone: .deviceGone, .notPaired: .notPaired, .pairingPending: .pairingPending,
        .pairingDenied: .pairingDenied,
        .passcodeLocked: .deviceLocked, .appNotInstalled: .appNotInstalled, .accessRefused: .accessRefused,
        .serviceRefused: .accessRefused, .tlsFailed: .deviceIO, .connectionLost: .deviceIO,
        .notFound: .notFound,
        .permissionDenied: .accessRefused, .exists: .alreadyExists, .noSpace: .noSpace,
        .isFolder: .invalidArgument, .notFolder: .invalidArgument, .folderNotEmpty: .alreadyExists,
        .busy: .busy,
        .timedOut: .timedOut, .cancelled: .cancelled, .protocolViolation: .protocolError,
        .verificationFailed: .verificationFailed, .invalidArgument: .invalidArgument,
        .notSupported: .notSupported,
        .tooLarge: .protocolError, .tooManyDescriptors: .hostIO, .ioFailure: .deviceIO,
        .internalFailure: .failed,
    ]

    /// Converts a code of the transport. An unknown code counts as a device failure.
    public init(transport code: TransportError.Code) {
        self = Self.transportCodes[code] ?? .deviceIO
    }
}
