import Diagnostics
import HostErrors
import OverlayABI
import OverlayBridge

extension HostErrorCode {
    /// The codes of the ABI's statuses; OVL_OK has none.
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

    /// The code of a status. Unknown statuses count as `failed`, as the ABI demands.
    public init(status: ovl_status) {
        self = Self.statuses.first { $0.status == status }?.code ?? .failed
    }

    /// The status that an overlay gets when a service fails with this code; OVL_FAILED if the ABI has no closer one.
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
    /// Longest text of an overlay's error that is kept, in bytes.
    static let longestText = 8192

    /// The error of an ABI call that returned `status`, from the record the callee put, if it put one.
    ///
    /// Copies all texts; invalid UTF-8 in them is repaired, since a report must not fail over its own wording.
    /// - Parameter call: name of the method or service function, for the message when no record came.
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
            // Nothing in a record of an impossible size counts, but the status does.
        }
        let message = details.message.repaired(limit: Self.longestText)
        self.init(
            Code(status: status),
            message ?? "The overlay's \(call) failed with status \(status), but gave no reason.",
            subject: details.subject.repaired(limit: Self.longestText),
            hint: details.hint.repaired(limit: Self.longestText),
            isRetryable: details.flags & OVL_ERROR_RETRYABLE != 0,
            native: details.domain == OVL_DOMAIN_NONE
                ? nil : NativeCode(.init(abi: details.domain), details.native_code))
    }

    /// Who defined the native code, in the ABI's numbers; a domain the ABI does not number counts as none.
    package var abiDomain: Int32 {
        native?.domain.abi ?? OVL_DOMAIN_NONE
    }

    /// Lends the error to an overlay as a record, which is valid only during the call of `body`.
    package func lend<Result>(_ body: (UnsafePointer<ovl_error>) -> Result) -> Result {
        let memory = Arena()
        var record = ovl_error.sized()
        record.flags = isRetryable ? OVL_ERROR_RETRYABLE : 0
        record.status = code.status
        record.domain = abiDomain
        record.native_code = native?.number ?? 0
        record.message = memory.text(message)
        record.subject = memory.text(subject)
        record.hint = memory.text(hint)
        return withExtendedLifetime(memory) { withUnsafePointer(to: record, body) }
    }
}

extension NativeCode.Domain {
    /// The domains that the ABI numbers.
    private static let numbered: [(number: Int32, domain: NativeCode.Domain)] = [
        (OVL_DOMAIN_POSIX, .posix), (OVL_DOMAIN_AFC, .afc), (OVL_DOMAIN_LOCKDOWN, .lockdown),
        (OVL_DOMAIN_HOUSE_ARREST, .houseArrest), (OVL_DOMAIN_IDEVICE, .idevice),
        (OVL_DOMAIN_INSTALLATION_PROXY, .installationProxy), (OVL_DOMAIN_SQLITE, .sqlite),
        (OVL_DOMAIN_READER_APP, .readerApp), (OVL_DOMAIN_OVERLAY, .overlay),
    ]

    /// How the domain of a number is spelled that a later version of the ABI defines.
    private static let laterPrefix = "domain "

    /// The domain of an `OVL_DOMAIN_…` number.
    package init(abi number: Int32) {
        self =
            Self.numbered.first { $0.number == number }?.domain
            ?? Self(rawValue: Self.laterPrefix + "\(number)")
    }

    /// The `OVL_DOMAIN_…` number; OVL_DOMAIN_NONE for a domain that the ABI does not number.
    package var abi: Int32 {
        if let known = Self.numbered.first(where: { $0.domain == self }) { return known.number }
        guard rawValue.hasPrefix(Self.laterPrefix) else { return OVL_DOMAIN_NONE }
        return Int32(rawValue.dropFirst(Self.laterPrefix.count)).map { max($0, OVL_DOMAIN_NONE) }
            ?? OVL_DOMAIN_NONE
    }
}
