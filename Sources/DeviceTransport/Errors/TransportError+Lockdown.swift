extension TransportError {
    /// The error for a `lockdownd_error_t`; nil for success. `doing` begins a sentence, such as "Starting the
    /// service".
    package init?(lockdownd code: Int32, doing: String, subject: String? = nil) {
        guard code != 0 else { return nil }
        let row =
            LockdownTable.rows[code]
            ?? (.ioFailure, "The device reported an unknown error.", "UNKNOWN", Self.reconnectHint)
        // A locked or untrusting device refuses everything, so the message does not name the operation.
        let explainsItself: Set<Code> = [.passcodeLocked, .pairingDenied, .pairingPending, .notPaired]
        self.init(
            row.code, explainsItself.contains(row.code) ? row.meaning : "\(doing) failed. \(row.meaning)",
            subject: subject, hint: row.hint,
            native: NativeCode(.lockdown, Int64(code), "LOCKDOWN_E_" + row.name))
    }

    /// The error for an error name in a reply of lockdownd, with libimobiledevice's number for it.
    package init(lockdownName name: String, doing: String, subject: String? = nil) {
        if let code = LockdownTable.names[name], let mapped = TransportError(lockdownd: code, doing: doing) {
            self = mapped.about(subject)
            native?.name = name
        } else {
            self.init(
                .serviceRefused, "\(doing) failed. The device answered \(name).", subject: subject,
                native: NativeCode(.lockdown, nil, name))
        }
    }

    /// The error for an error name in an answer of lockdownd itself; an unknown name is a failure of the device.
    init(lockdownAnswer name: String, doing: String) {
        self.init(lockdownName: name, doing: doing, subject: nil)
        if native?.number == nil { (code, hint) = (.ioFailure, Self.reconnectHint) }
    }

    /// The error for a locked device. It answered `refusal` to a start without the escrow bag, and `answer` to one
    /// with it.
    static func locked(_ refusal: TransportError, withBag answer: TransportError) -> TransportError {
        switch answer.native?.number {
        // The bag depends on the passcode, and is useless until the passcode was entered after a restart.
        case -12:
            var error = answer
            error.code = .passcodeLocked
            error.message = LockdownTable.neverUnlocked
            error.hint = LockdownTable.firstUnlockHint
            return error
        // The pair record has no bag.
        case -2: return refusal
        default: return answer
        }
    }
}

private enum LockdownTable {
    typealias Row = (code: TransportErrorCode, meaning: String, name: String, hint: String?)

    static let neverUnlocked = "The device is locked and has not been unlocked since it was turned on."
    static let firstUnlockHint =
        "Unlock the device once with its passcode. After that, it can be used while locked."

    /// The errors by the numbers of `lockdownd_error_t`.
    static let rows: [Int32: Row] = [
        -1: (.internalFailure, "An invalid argument was passed to the library.", "INVALID_ARG", nil),
        -2: (
            .notPaired, "This computer's pair record cannot be used.", "INVALID_CONF",
            TransportError.trustHint
        ),
        -3: (
            .protocolViolation, "The answer is not a property list.", "PLIST_ERROR",
            TransportError.reconnectHint
        ),
        -4: (.notPaired, "Pairing failed.", "PAIRING_FAILED", TransportError.trustHint),
        -5: (
            .tlsFailed, "The encrypted session could not be established.", "SSL_ERROR",
            TransportError.trustHint
        ),
        -6: (
            .protocolViolation, "The answer does not contain the requested value.", "DICT_ERROR",
            TransportError.reconnectHint
        ),
        -7: (.timedOut, "The device did not answer.", "RECEIVE_TIMEOUT", TransportError.unlockHint),
        -8: (.connectionLost, "The connection was lost.", "MUX_ERROR", TransportError.reconnectHint),
        -9: (.internalFailure, "There is no session.", "NO_RUNNING_SESSION", TransportError.reconnectHint),
        -10: (.protocolViolation, "The device rejected the request.", "INVALID_RESPONSE", nil),
        -11: (.invalidArgument, "A key is missing.", "MISSING_KEY", nil),
        -12: (
            .notFound, "The device has no such value.", "MISSING_VALUE",
            "Unlock the device and try again. If it fails again, reconnect the device."
        ),
        -13: (
            .permissionDenied, "The device does not allow this value to be read.", "GET_PROHIBITED",
            TransportError.trustHint
        ),
        -14: (.permissionDenied, "The device does not allow this value to be set.", "SET_PROHIBITED", nil),
        -15: (
            .permissionDenied, "The device does not allow this value to be removed.", "REMOVE_PROHIBITED", nil
        ),
        -16: (.permissionDenied, "The value cannot be changed.", "IMMUTABLE_VALUE", nil),
        -17: (
            .passcodeLocked, "The device is locked with its passcode.", "PASSWORD_PROTECTED",
            TransportError.unlockHint
        ),
        -18: (
            .pairingDenied, "Someone tapped Don't Trust on the device.", "USER_DENIED_PAIRING",
            "Disconnect and reconnect the device, run 'overlayhost doctor', and tap Trust on the device."
        ),
        -19: (
            .pairingPending, "The device is asking whether to trust this computer.",
            "PAIRING_DIALOG_RESPONSE_PENDING", "Tap Trust on the device, then try again."
        ),
        -20: (
            .notPaired, "The device does not know this computer.", "MISSING_HOST_ID", TransportError.trustHint
        ),
        -21: (
            .notPaired, "The device no longer trusts this computer.", "INVALID_HOST_ID",
            TransportError.trustHint
        ),
        -22: (.busy, "A session is already open.", "SESSION_ACTIVE", TransportError.reconnectHint),
        -23: (.connectionLost, "The session has ended.", "SESSION_INACTIVE", TransportError.reconnectHint),
        -24: (.protocolViolation, "The session id is missing.", "MISSING_SESSION_ID", nil),
        -25: (
            .connectionLost, "Unknown session.", "INVALID_SESSION_ID", TransportError.reconnectHint
        ),
        -26: (.invalidArgument, "The service name is missing.", "MISSING_SERVICE", nil),
        -27: (
            .notSupported, "The device does not offer the service.", "INVALID_SERVICE",
            "Unlock the device and try again. Its iOS version may not support the service."
        ),
        -28: (
            .busy, "The device allows no more connections of this kind at the moment.", "SERVICE_LIMIT",
            "Try again in a moment. If it fails again, close other programs that use the device, or "
                + "reconnect it."
        ),
        -29: (.notPaired, "The pair record is missing.", "MISSING_PAIR_RECORD", TransportError.trustHint),
        -30: (
            .ioFailure, "The pair record could not be saved.", "SAVE_PAIR_RECORD_FAILED",
            "Make sure that usbmuxd can write to its pair record folder."
        ),
        -31: (
            .notPaired, "The pair record is damaged or out of date.", "INVALID_PAIR_RECORD",
            TransportError.trustHint
        ),
        -32: (.notSupported, "The activation record is not valid.", "INVALID_ACTIVATION_RECORD", nil),
        -33: (
            .notSupported, "The device is not activated.", "MISSING_ACTIVATION_RECORD",
            "Finish setting up the device."
        ),
        -34: (
            .accessRefused, "The device does not permit the service.", "SERVICE_PROHIBITED",
            "Unlock the device and try again. An administrator may have restricted it."
        ),
        -35: (.passcodeLocked, neverUnlocked, "ESCROW_LOCKED", firstUnlockHint),
        -36: (
            .notPaired, "Pairing is not possible over this connection.",
            "PAIRING_PROHIBITED_OVER_THIS_CONNECTION", "Connect the device with its cable to pair it."
        ),
        -37: (
            .accessRefused, "The device is locked by Find My.", "FMIP_PROTECTED",
            "Sign in on the device first."
        ),
        -38: (
            .accessRefused, "A management profile does not permit this.", "MC_PROTECTED",
            "Ask the device's administrator."
        ),
        -39: (
            .accessRefused, "A management profile requires more.", "MC_CHALLENGE_REQUIRED",
            "Ask the device's administrator."
        ),
        -256: (
            .ioFailure, "The device reported an unnamed error.", "UNKNOWN_ERROR", TransportError.reconnectHint
        ),
    ]

    /// The error names of lockdownd, which replies of services use too, with their numbers in `lockdownd_error_t`.
    static let names: [String: Int32] = [
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
}
