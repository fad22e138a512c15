/// What an instance remembers of its device between two calls.
struct ConnectedDevice: Equatable {
    /// The UDID, once it is known.
    var udid: String?
    /// The version Marvin told in its connection mode.
    var appVersion: String?
    /// The person ended the connection and the device is still plugged in.
    var isEjected = false
}
