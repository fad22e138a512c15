import CLibimobiledevice

/// Pairing, which libimobiledevice does: it makes the keys and stores the record at usbmuxd.
enum Pairing {
    /// Asks the device to trust this host. Blocks, so it is called within a `LibraryCall`.
    static func pair(_ handle: DeviceHandle, label: String, trace: DeviceTrace?)
        -> Result<Void, TransportError>
    {
        trace.call("lockdownd.Pair") {
            var client: lockdownd_client_t?
            defer { if let client { lockdownd_client_free(client) } }
            let connected = lockdownd_client_new(handle.pointer, &client, label)
            if let error = TransportError(
                lockdownd: connected.rawValue, doing: "Talking to the device", subject: handle.life.udid)
            {
                return .failure(error)
            }
            let result = lockdownd_pair(client, nil)
            let error = TransportError(
                lockdownd: result.rawValue, doing: "Pairing", subject: handle.life.udid)
            return error.map { .failure($0) } ?? .success(())
        }
    }
}
