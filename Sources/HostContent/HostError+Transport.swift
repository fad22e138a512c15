import DeviceTransport
import Diagnostics
import HostErrors

extension Failure where Code == HostErrorCode {
    /// The host's error for a failed conversation with a device. The transport's error stays in `underlying`, the device's
    /// own code in `native`.
    public init(_ error: TransportError) {
        let code = Code(transport: error.code)
        self.init(
            code, error.message, subject: error.subject, hint: error.hint,
            isRetryable: [.busy, .timedOut].contains(code) || error.code == .connectionLost,
            native: error.native, underlying: error)
    }
}

extension HostErrorCode {
    /// Every code of the transport with the host's.
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

    /// The host's code for a code of the transport; one that came later counts as a device failure.
    public init(transport code: TransportError.Code) {
        self = Self.transportCodes[code] ?? .deviceIO
    }
}
