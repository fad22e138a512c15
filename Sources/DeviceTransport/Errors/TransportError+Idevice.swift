import Glibc

extension TransportError {
    /// The error for an `idevice_error_t`; nil for success. `doing` begins a sentence, such as "Opening the device".
    package init?(idevice code: Int32, doing: String, subject: String? = nil) {
        guard code != 0 else { return nil }
        let row =
            IdeviceTable.rows[code]
            ?? (.ioFailure, "An unknown error occurred.", "UNKNOWN", Self.reconnectHint)
        self.init(
            row.code, "\(doing) failed. \(row.meaning)", subject: subject, hint: row.hint,
            native: NativeCode(.idevice, Int64(code), "IDEVICE_E_" + row.name))
    }

    /// The error for a result of libusbmuxd, which is a negative `errno` or -1; nil for success.
    package init?(usbmuxd result: Int32, doing: String, subject: String? = nil) {
        guard result < 0 else { return nil }
        self.init(
            .muxUnavailable, "\(doing) failed. usbmuxd is not responding.", subject: subject,
            hint: Self.muxHint,
            native: NativeCode(.usbmuxd, Int64(result)))
    }

    /// The hint if usbmuxd does not answer, with the address that was tried.
    package static var muxHint: String {
        switch muxAddress {
        case .standard:
            "Install and start usbmuxd (on Debian: apt install usbmuxd), then connect the device."
        case .environment(let address):
            "USBMUXD_SOCKET_ADDRESS is set to \(address). Make sure that usbmuxd is listening there, or "
                + "unset it."
        case .ignored(let address):
            "libusbmuxd ignores USBMUXD_SOCKET_ADDRESS=\(address). Write UNIX:\(address) or HOST:PORT."
        }
    }
}

private enum IdeviceTable {
    typealias Row = (code: TransportErrorCode, meaning: String, name: String, hint: String?)

    /// The errors by the numbers of `idevice_error_t`.
    static let rows: [Int32: Row] = [
        -1: (.internalFailure, "An invalid argument was passed to the library.", "INVALID_ARG", nil),
        // idevice_connect uses this code for a refused port, an unknown device and other errors.
        -2: (.connectionLost, "The connection failed.", "UNKNOWN_ERROR", TransportError.reconnectHint),
        -3: (.noDevice, "The device is not attached.", "NO_DEVICE", "Connect the device and try again."),
        -4: (.connectionLost, "The answer was cut off.", "NOT_ENOUGH_DATA", TransportError.reconnectHint),
        -6: (
            .tlsFailed, "The encrypted connection could not be established.", "SSL_ERROR",
            TransportError.trustHint
        ),
        -7: (.timedOut, "The device did not answer.", "TIMEOUT", TransportError.unlockHint),
    ]
}

/// The address at which libusbmuxd looks for usbmuxd, by the rules of its version 2.0.2.
enum MuxAddress: Equatable {
    /// `/var/run/usbmuxd`.
    case standard
    /// The value of `USBMUXD_SOCKET_ADDRESS`.
    case environment(String)
    /// `USBMUXD_SOCKET_ADDRESS` has a value without a colon, such as a bare path, which libusbmuxd ignores.
    case ignored(String)

    init(environment value: String?) {
        guard let value, !value.isEmpty else {
            self = .standard
            return
        }
        self = value.contains(":") ? .environment(value) : .ignored(value)
    }
}

/// The current address. The environment is read at each connection.
var muxAddress: MuxAddress {
    MuxAddress(environment: getenv("USBMUXD_SOCKET_ADDRESS").map { String(cString: $0) })
}
