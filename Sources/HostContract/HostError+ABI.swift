import Diagnostics
import HostErrors
import OverlayABI
import OverlayBridge

extension HostErrorCode {
    /// The codes for the statuses of the contract. OVL_OK has no code.
    package static let statuses: [(status: ovl_status, code: HostErrorCode)] = [
        (OVL_FAILED, .failed), (OVL_CANCELLED, .cancelled), (OVL_TIMED_OUT, .timedOut),
        (OVL_DEVICE_GONE, .deviceGone),
        (OVL_NOT_SUPPORTED, .notSupported), (OVL_INVALID_ARGUMENT, .invalidArgument),
        (OVL_NOT_FOUND, .notFound),
        (OVL_ACCESS_REFUSED, .accessRefused), (OVL_ALREADY_EXISTS, .alreadyExists), (OVL_NO_SPACE, .noSpace),
        (OVL_BUSY, .busy), (OVL_DEVICE_IO, .deviceIO), (OVL_HOST_IO, .hostIO),
        (OVL_PROTOCOL_ERROR, .protocolError),
        (OVL_DAMAGED, .damaged), (OVL_UNSUPPORTED_FORMAT, .unsupportedFormat),
        (OVL_APP_UNAVAILABLE, .appUnavailable),
        (OVL_REJECTED, .rejected), (OVL_DEVICE_LOCKED, .deviceLocked),
        (OVL_VERIFICATION_FAILED, .verificationFailed),
        (OVL_WRONG_STATE, .wrongState), (OVL_CONTRACT_BROKEN, .contractBroken), (OVL_STOPPED, .stopped),
        (OVL_NEEDS_CONSENT, .needsConsent), (OVL_CHANGED, .changed),
    ]

    /// Creates the code for a status. An unknown status counts as `failed`, as the contract requires.
    public init(status: ovl_status) {
        self = Self.statuses.first { $0.status == status }?.code ?? .failed
    }

    /// The status for an overlay if a service fails with this code; OVL_FAILED if the contract has no closer one.
    public var status: ovl_status {
        if let known = Self.statuses.first(where: { $0.code == self }) { return known.status }
        switch self {
        case .inputUnreadable, .outputNotCreated: return OVL_HOST_IO
        case .noDevice, .deviceServiceUnavailable: return OVL_DEVICE_GONE
        case .notPaired, .pairingPending, .pairingDenied: return OVL_ACCESS_REFUSED
        case .appNotInstalled: return OVL_APP_UNAVAILABLE
        case .usage, .prefsInvalidValue: return OVL_INVALID_ARGUMENT
        case .prefsUnknownKey: return OVL_NOT_FOUND
        case .prefsDamaged, .prefsUnreadable, .prefsUnwritable: return OVL_HOST_IO
        case .overlayBroke: return OVL_CONTRACT_BROKEN
        default: return OVL_FAILED
        }
    }
}

extension Failure where Code == HostErrorCode {
    /// The largest size of a text in an overlay's error that is kept, in bytes.
    static let longestText = 8192

    /// Creates the error of a call that returned `status`, using the record that the callee put, if any.
    ///
    /// Copies all texts, and replaces invalid UTF-8, because a report must not fail because of its own text.
    /// - Parameter call: the name of the method or service function, for the message if there is no record.
    package init(status: ovl_status, record: UnsafePointer<ovl_error>?, call: String) {
        guard let record else {
            self.init(
                Code(status: status),
                "The overlay's \(call) failed with status \(status), but gave no reason.",
                hint: "Please report this to the overlay's author.")
            return
        }
        var details = ovl_error()
        do throws(ViewFault) {
            details = try ovl_error.copy(at: record, smallest: 8)
        } catch {
            // If the size of the record is invalid, only the status is used.
        }
        let values = ErrorValues(details, limit: Self.longestText)
        self.init(
            Code(status: status),
            values.message ?? "The overlay's \(call) failed with status \(status), but gave no reason.",
            subject: values.subject, hint: values.hint,
            hintCode: HintCode(flags: values.hintKind, status: status), isRetryable: values.isRetryable,
            native: values.domain == OVL_DOMAIN_NONE
                ? nil : NativeCode(.init(abi: values.domain), values.nativeCode))
    }

    /// The domain of the native code as a number of the contract; that of no domain if the contract has no number for
    /// it.
    package var abiDomain: Int32 {
        native?.domain.abi ?? OVL_DOMAIN_NONE
    }

    /// Lends the error to an overlay as a record that is valid only during the call of `body`.
    package func lend<Result>(_ body: (UnsafePointer<ovl_error>) -> Result) -> Result {
        let memory = Arena()
        let values = ErrorValues(
            status: code.status, message: message, subject: subject, hint: hint,
            hintKind: hintCode?.flags ?? 0, domain: abiDomain, nativeCode: native?.number ?? 0,
            isRetryable: isRetryable)
        let record = values.record(in: memory)
        return withExtendedLifetime(memory) { withUnsafePointer(to: record, body) }
    }
}

extension NativeCode.Domain {
    /// The domains that have a number in the contract.
    private static let numbered: [(number: Int32, domain: NativeCode.Domain)] = [
        (OVL_DOMAIN_POSIX, .posix), (OVL_DOMAIN_AFC, .afc), (OVL_DOMAIN_LOCKDOWN, .lockdown),
        (OVL_DOMAIN_HOUSE_ARREST, .houseArrest), (OVL_DOMAIN_IDEVICE, .idevice),
        (OVL_DOMAIN_INSTALLATION_PROXY, .installationProxy), (OVL_DOMAIN_SQLITE, .sqlite),
        (OVL_DOMAIN_READER_APP, .readerApp), (OVL_DOMAIN_OVERLAY, .overlay),
    ]

    /// The prefix for a domain number of a later version of the contract.
    private static let laterPrefix = "domain "

    /// Creates the domain for an `OVL_DOMAIN_…` number.
    package init(abi number: Int32) {
        self =
            Self.numbered.first { $0.number == number }?.domain
            ?? Self(rawValue: Self.laterPrefix + "\(number)")
    }

    /// The `OVL_DOMAIN_…` number; OVL_DOMAIN_NONE for a domain that has no number in the contract.
    package var abi: Int32 {
        if let known = Self.numbered.first(where: { $0.domain == self }) { return known.number }
        guard rawValue.hasPrefix(Self.laterPrefix) else { return OVL_DOMAIN_NONE }
        return Int32(rawValue.dropFirst(Self.laterPrefix.count)).map { max($0, OVL_DOMAIN_NONE) }
            ?? OVL_DOMAIN_NONE
    }
}
