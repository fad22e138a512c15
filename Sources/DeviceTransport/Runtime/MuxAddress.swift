import Glibc

/// Where libusbmuxd looks for usbmuxd, by the rules of its version 2.0.2.
enum MuxAddress: Equatable {
    /// `/var/run/usbmuxd`.
    case standard
    /// What `USBMUXD_SOCKET_ADDRESS` says.
    case environment(String)
    /// `USBMUXD_SOCKET_ADDRESS` has a value without a colon, e.g. a bare path, which libusbmuxd silently passes over.
    case ignored(String)

    init(environment value: String?) {
        guard let value, !value.isEmpty else {
            self = .standard
            return
        }
        self = value.contains(":") ? .environment(value) : .ignored(value)
    }
}

/// The address in force now; the environment is read at each connection.
var muxAddress: MuxAddress {
    MuxAddress(environment: getenv("USBMUXD_SOCKET_ADDRESS").map { String(cString: $0) })
}
