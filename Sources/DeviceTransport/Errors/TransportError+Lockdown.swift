import CLibimobiledevice

extension TransportError {
    static let trustHint = "Unlock the device, run 'overlayhost doctor', and tap Trust on the device."
    static let unlockHint = "Unlock the device with its passcode and try again."
    private static let firstUnlockHint =
        "Unlock the device once with its passcode. After that, it can be used while locked."
    static let reconnectHint = "Reconnect the device and try again."

    /// The error for a `lockdownd_error_t`; nil for success.
    package init?(lockdownd code: Int32, doing: String, subject: String? = nil) {
        guard code != 0 else { return nil }
        let row = Self.lockdownRows[code] ?? (.ioFailure, "an unknown error", "UNKNOWN", Self.reconnectHint)
        // A state of the device stands in the way of everything; what was tried when it showed is of no interest.
        let explainsItself: Set<Code> = [.passcodeLocked, .pairingDenied, .pairingPending, .notPaired]
        let message = explainsItself.contains(row.code) ? row.meaning : "\(doing): \(row.meaning)"
        self.init(
            row.code, message, subject: subject, hint: row.hint,
            native: NativeError(.lockdownd, Int64(code), "LOCKDOWN_E_" + row.name))
    }

    /// The error for an error name in a reply of lockdownd, with the number libimobiledevice gives it.
    package init(lockdownName name: String, doing: String, subject: String? = nil) {
        if let code = Self.lockdownNames[name], let mapped = TransportError(lockdownd: code, doing: doing) {
            self = mapped.about(subject ?? "device")
            native?.name = name
        } else {
            self.init(
                .serviceRefused, "\(doing): the device answered \(name)", subject: subject,
                native: NativeError(.lockdownd, nil, name))
        }
    }

    private static let neverUnlocked =
        "the device is locked and has not been unlocked since it was turned on"

    /// The error for a locked device, which answered `refusal` to a start without the escrow bag and `answer` to one with it.
    static func locked(_ refusal: TransportError, withBag answer: TransportError) -> TransportError {
        switch answer.native?.number {
        // The bag was made when the passcode was set, and opens nothing before the passcode was entered.
        case -12:
            var error = answer
            (error.code, error.message, error.hint) = (.passcodeLocked, neverUnlocked, firstUnlockHint)
            return error
        // The pair record has no bag.
        case -2: return refusal
        default: return answer
        }
    }

    private typealias LockdownRow = (code: Code, meaning: String, name: String, hint: String?)

    private static let lockdownRows: [Int32: LockdownRow] = [
        -1: (.internalFailure, "an invalid argument was passed to the library", "INVALID_ARG", nil),
        -2: (
            .notPaired, "this computer's pair record cannot be used", "INVALID_CONF", trustHint
        ),
        -3: (.protocolViolation, "the answer is not a property list", "PLIST_ERROR", reconnectHint),
        -4: (.notPaired, "pairing failed", "PAIRING_FAILED", trustHint),
        -5: (.tlsFailed, "the encrypted session could not be established", "SSL_ERROR", trustHint),
        -6: (
            .protocolViolation, "the answer does not contain the requested value", "DICT_ERROR", reconnectHint
        ),
        -7: (.timedOut, "the device did not answer", "RECEIVE_TIMEOUT", unlockHint),
        -8: (.connectionLost, "the connection was lost", "MUX_ERROR", reconnectHint),
        -9: (.internalFailure, "there is no session", "NO_RUNNING_SESSION", reconnectHint),
        -10: (.protocolViolation, "the device rejected the request", "INVALID_RESPONSE", nil),
        -11: (.invalidArgument, "a key is missing", "MISSING_KEY", nil),
        -12: (.notFound, "the device has no such value", "MISSING_VALUE", nil),
        -13: (
            .permissionDenied, "the device does not allow this value to be read", "GET_PROHIBITED", trustHint
        ),
        -14: (.permissionDenied, "the device does not allow this value to be set", "SET_PROHIBITED", nil),
        -15: (
            .permissionDenied, "the device does not allow this value to be removed", "REMOVE_PROHIBITED", nil
        ),
        -16: (.permissionDenied, "the value cannot be changed", "IMMUTABLE_VALUE", nil),
        -17: (
            .passcodeLocked, "the device is locked with its passcode", "PASSWORD_PROTECTED", unlockHint
        ),
        -18: (
            .pairingDenied, "someone tapped Don't Trust on the device", "USER_DENIED_PAIRING",
            "Disconnect and reconnect the device, run 'overlayhost doctor', and tap Trust on the device."
        ),
        -19: (
            .pairingPending, "the device is asking whether to trust this computer",
            "PAIRING_DIALOG_RESPONSE_PENDING", "Tap Trust on the device, then try again."
        ),
        -20: (.notPaired, "the device does not know this computer", "MISSING_HOST_ID", trustHint),
        -21: (.notPaired, "the device no longer trusts this computer", "INVALID_HOST_ID", trustHint),
        -22: (.busy, "a session is already open", "SESSION_ACTIVE", reconnectHint),
        -23: (.connectionLost, "the session has ended", "SESSION_INACTIVE", reconnectHint),
        -24: (.protocolViolation, "the session id is missing", "MISSING_SESSION_ID", nil),
        -25: (.connectionLost, "the session is not known", "INVALID_SESSION_ID", reconnectHint),
        -26: (.invalidArgument, "the service name is missing", "MISSING_SERVICE", nil),
        -27: (
            .notSupported, "the device does not offer the service", "INVALID_SERVICE",
            "Unlock the device and try again. Its iOS version may not support the service."
        ),
        -28: (
            .serviceRefused, "the device allows no more connections of this kind", "SERVICE_LIMIT",
            "Close other programs that use the device, or reconnect it."
        ),
        -29: (.notPaired, "the pair record is missing", "MISSING_PAIR_RECORD", trustHint),
        -30: (
            .ioFailure, "the pair record could not be saved", "SAVE_PAIR_RECORD_FAILED",
            "Make sure that usbmuxd can write to its pair record folder."
        ),
        -31: (.notPaired, "the pair record is damaged or out of date", "INVALID_PAIR_RECORD", trustHint),
        -32: (.notSupported, "the activation record is not valid", "INVALID_ACTIVATION_RECORD", nil),
        -33: (
            .notSupported, "the device is not activated", "MISSING_ACTIVATION_RECORD",
            "Finish setting up the device."
        ),
        -34: (
            .accessRefused, "the device does not permit the service", "SERVICE_PROHIBITED",
            "Unlock the device and try again. An administrator may have restricted it."
        ),
        -35: (.passcodeLocked, neverUnlocked, "ESCROW_LOCKED", firstUnlockHint),
        -36: (
            .notPaired, "pairing is not possible over this connection",
            "PAIRING_PROHIBITED_OVER_THIS_CONNECTION", "Connect the device with its cable to pair it."
        ),
        -37: (
            .accessRefused, "the device is locked by Find My", "FMIP_PROTECTED",
            "Sign in on the device first."
        ),
        -38: (
            .accessRefused, "a management profile does not permit this", "MC_PROTECTED",
            "Ask the device's administrator."
        ),
        -39: (
            .accessRefused, "a management profile requires more", "MC_CHALLENGE_REQUIRED",
            "Ask the device's administrator."
        ),
        -256: (.ioFailure, "the device reported an unnamed error", "UNKNOWN_ERROR", reconnectHint),
    ]

    /// Error names of lockdownd, which service replies use too, with their numbers in `lockdownd_error_t`.
    private static let lockdownNames: [String: Int32] = [
        "InvalidResponse": -10, "MissingKey": -11, "MissingValue": -12, "GetProhibited": -13,
        "SetProhibited": -14, "RemoveProhibited": -15, "ImmutableValue": -16, "PasswordProtected": -17,
        "UserDeniedPairing": -18, "PairingDialogResponsePending": -19, "MissingHostID": -20,
        "InvalidHostID": -21, "SessionActive": -22, "SessionInactive": -23, "MissingSessionID": -24,
        "InvalidSessionID": -25, "MissingService": -26, "InvalidService": -27, "ServiceLimit": -28,
        "MissingPairRecord": -29, "SavePairRecordFailed": -30, "InvalidPairRecord": -31,
        "InvalidActivationRecord": -32, "MissingActivationRecord": -33, "ServiceProhibited": -34,
        "EscrowLocked": -35, "PairingProhibitedOverThisConnection": -36, "FMiPProtected": -37,
        "MCProtected": -38, "MCChallengeRequired": -39,
    ]

    /// Every number of `lockdownd_error_t` but success, for tests.
    package static var lockdownCodes: [Int32] { lockdownRows.keys.sorted(by: >) }
}
