import CLibimobiledevice

/// An `idevice_t`: one device as libimobiledevice knows it, for as long as it stays attached.
///
/// Clients and connections made from it keep pointers into it, so each of them keeps this object.
final class DeviceHandle: @unchecked Sendable {
    // `pointer` is set once, and the library only reads what it points to.
    let pointer: idevice_t
    let life: DeviceLifetime

    /// Finds the device at usbmuxd; blocks for up to ten seconds, so it is called within a `LibraryCall`.
    static func find(_ device: DeviceDescription) -> Result<DeviceHandle, TransportError> {
        let link = device.preferredLink
        let entries: [MuxDirectory.Entry]
        switch MuxDirectory.list() {
        case .failure(let error): return .failure(error)
        case .success(let list): entries = list
        }
        guard let entry = entries.first(where: { $0.udid == device.udid && $0.link == link }) else {
            return .failure(
                TransportError(
                    .noDevice, "The device is not attached.", subject: device.udid,
                    hint: "Connect the device and try again."))
        }
        let life = DeviceEventHub.shared.life(of: entry)
        var pointer: idevice_t?
        let options = idevice_options(
            rawValue: link == .usb
                ? IDEVICE_LOOKUP_USBMUX.rawValue
                : IDEVICE_LOOKUP_NETWORK.rawValue | IDEVICE_LOOKUP_PREFER_NETWORK.rawValue)
        let result = idevice_new_with_options(&pointer, device.udid, options)
        if let error = TransportError(
            idevice: result.rawValue, doing: "Opening the device", subject: device.udid)
        {
            return .failure(error)
        }
        guard let pointer else {
            return .failure(
                TransportError(
                    .protocolViolation, "The library did not return a device.", subject: device.udid))
        }
        var handle: UInt32 = 0
        // A device that was plugged in again meanwhile has another number, and so another lifetime.
        if idevice_get_handle(pointer, &handle) == IDEVICE_E_SUCCESS, handle != entry.handle {
            var current = entry
            current.handle = handle
            return .success(DeviceHandle(pointer, DeviceEventHub.shared.life(of: current)))
        }
        return .success(DeviceHandle(pointer, life))
    }

    private init(_ pointer: idevice_t, _ life: DeviceLifetime) {
        self.pointer = pointer
        self.life = life
    }

    deinit { idevice_free(pointer) }
}
