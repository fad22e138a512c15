import CLibimobiledevice
import Glibc

/// Lists the devices that usbmuxd knows now.
enum MuxDirectory {
    /// One link to one device.
    struct Entry: Sendable {
        var udid: String
        var handle: UInt32
        var link: DeviceLink
    }

    /// Asks usbmuxd. Blocks for at most ten seconds, so it is called within a `LibraryCall`.
    static func list() -> Result<[Entry], TransportError> {
        var list: UnsafeMutablePointer<usbmuxd_device_info_t>?
        let count = usbmuxd_get_device_list(&list)
        if let error = TransportError(usbmuxd: count, doing: "Looking for devices") { return .failure(error) }
        guard let list else {
            return .failure(
                TransportError(.protocolViolation, "The program usbmuxd did not return a list of devices."))
        }
        var freed: UnsafeMutablePointer<usbmuxd_device_info_t>? = list
        defer { usbmuxd_device_list_free(&freed) }
        return .success((0..<Int(count)).map { Entry(list[$0]) })
    }
}

extension MuxDirectory.Entry {
    init(_ info: usbmuxd_device_info_t) {
        udid = withUnsafeBytes(of: info.udid) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        handle = info.handle
        link = info.conn_type == CONNECTION_TYPE_NETWORK ? .network : .usb
    }
}
