import CLibimobiledevice

/// An `idevice_t`: one device as libimobiledevice represents it, for as long as it stays attached.
///
/// Clients and connections created from it hold pointers into it, so each of them retains this object.
final class DeviceHandle: @unchecked Sendable {
    // `pointer` is set once, and the library only reads the object it points to.
    let pointer: idevice_t
    let life: DeviceLifetime

    /// Finds the device in usbmuxd. Blocks for up to ten seconds, so it is called within a `LibraryCall`.
    static func find(_ device: DeviceDescription) -> Result<DeviceHandle, TransportError> {
        let link = device.preferredLink
        var pointer: idevice_t?
        let options = idevice_options(
            rawValue: link == .usb
                ? IDEVICE_LOOKUP_USBMUX.rawValue
                : IDEVICE_LOOKUP_NETWORK.rawValue | IDEVICE_LOOKUP_PREFER_NETWORK.rawValue)
        let result = idevice_new_with_options(&pointer, device.udid, options)
        if let error = TransportError(
            idevice: result.rawValue, doing: "Opening the device", subject: device.udid)
        {
            return .failure(reason(for: device, link) ?? error)
        }
        var number: UInt32 = 0
        guard let pointer, idevice_get_handle(pointer, &number) == IDEVICE_E_SUCCESS else {
            if let pointer { idevice_free(pointer) }
            return .failure(
                TransportError(
                    .protocolViolation, "The library did not return a device.", subject: device.udid))
        }
        // A device that is plugged in again has another number, and therefore another lifetime.
        let entry = MuxDirectory.Entry(udid: device.udid, handle: number, link: link)
        return .success(DeviceHandle(pointer, DeviceEventHub.shared.life(of: entry)))
    }

    /// The reason why a device cannot be opened, as far as usbmuxd knows it. The library does not distinguish a
    /// missing device from a missing usbmuxd.
    private static func reason(for device: DeviceDescription, _ link: DeviceLink) -> TransportError? {
        switch MuxDirectory.list() {
        case .failure(let error): return error
        case .success(let entries):
            guard !entries.contains(where: { $0.udid == device.udid && $0.link == link }) else { return nil }
            return TransportError(
                .noDevice, "The device is not attached.", subject: device.udid,
                hint: "Connect the device and try again.")
        }
    }

    private init(_ pointer: idevice_t, _ life: DeviceLifetime) {
        self.pointer = pointer
        self.life = life
    }

    deinit { idevice_free(pointer) }
}
