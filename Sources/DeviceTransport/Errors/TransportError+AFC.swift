import DeviceWire

extension TransportError {
    /// The error for a status of the file service; nil for success.
    ///
    /// The codes that libimobiledevice itself defines (30-33) are mapped too, so that one table covers `afc_error_t`.
    package init?(afc status: AFCStatus, subject: String? = nil) {
        guard status != .success else { return nil }
        let row = AFCStatusTable.rows[status.rawValue]
        self.init(
            row?.code ?? .ioFailure, status.meaning, subject: subject, hint: row?.hint,
            // The name of an unknown status contains its number, even if that is too large here.
            native: NativeCode(.afc, Int64(exactly: status.rawValue), status.name))
    }
}

private enum AFCStatusTable {
    private static let unlock = "Unlock the device and try again."
    private static let again = "Try again. If it fails again, reconnect the device."

    static let rows: [UInt64: (code: TransportErrorCode, hint: String?)] = [
        1: (.ioFailure, again),
        2: (.protocolViolation, again),
        3: (.busy, "Close other programs that use the device, and try again."),
        4: (.ioFailure, again),
        5: (.ioFailure, again),
        6: (.notSupported, nil),
        7: (.invalidArgument, nil),
        8: (.notFound, nil),
        9: (.isFolder, nil),
        10: (.permissionDenied, "iOS does not allow this here. The app's container may be read-only."),
        11: (.connectionLost, again),
        12: (.timedOut, unlock),
        13: (.tooLarge, nil),
        14: (.ioFailure, again),
        15: (.notSupported, "This version of iOS does not support the operation."),
        16: (.exists, nil),
        17: (.busy, "The reader app may be using the file; close it and try again."),
        18: (.noSpace, "Free some space on the device and try again."),
        19: (.busy, "The reader app may be using the file; close it and try again."),
        20: (.ioFailure, again),
        21: (.ioFailure, again),
        22: (.busy, again),
        23: (.ioFailure, again),
        30: (.connectionLost, again),
        31: (.internalFailure, nil),
        32: (.protocolViolation, again),
        33: (.folderNotEmpty, nil),
    ]
}
