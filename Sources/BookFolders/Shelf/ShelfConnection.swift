import OverlayKit

/// Whether an app's folder can be used now, and what an instance remembers about its device between two calls.
public struct ShelfConnection: Equatable, Sendable {
    /// The UDID, if it is known.
    public private(set) var udid: String?
    /// Whether the user ended the connection while the device is still plugged in.
    public private(set) var isEjected = false

    /// Creates a connection without a device.
    public init() {}

    /// Whether the app's documents can be reached. Does not send requests to the device.
    public mutating func presence(
        _ host: HostServices, _ device: Fingerprint
    ) throws(OverlayError) -> Presence {
        if isEjected {
            return .no(.ejected, "The device was ejected.", hint: "Unplug the device and plug it in again.")
        }
        let info = try host.transport.device()
        udid = info.udid ?? device.serial
        do {
            _ = try BookPlace.documents(host)
            return .yes(appVersion: info.appVersion)
        } catch {
            guard error.status == .accessRefused else { throw error }
            return .no(.accessRefused, error.message, hint: error.hint)
        }
    }

    /// The index of this instance's USB device: the known one, or else the first Apple device. Does not send requests
    /// to the device.
    ///
    /// An ejected device counts as absent until it has been unplugged.
    public mutating func index(in devices: [Fingerprint], presenceOnly: Bool) -> Int? {
        guard let udid else {
            // Vendor 0 means that the host does not know the vendor.
            return presenceOnly ? nil : devices.firstIndex { $0.vendorID == 0x05AC || $0.vendorID == 0 }
        }
        let index = devices.firstIndex { $0.serial.map { Self.isSame($0, udid) } ?? false }
        guard isEjected else { return index }
        if index == nil { isEjected = false }
        return nil
    }

    /// The USB serial number of newer devices is their UDID without the dash.
    private static func isSame(_ serial: String, _ udid: String) -> Bool {
        serial.lowercased().filter { $0 != "-" } == udid.lowercased().filter { $0 != "-" }
    }

    /// Ends the connection. The device is not notified, because it is not in use between two calls.
    public mutating func eject() { isEjected = true }

    /// Forgets the device.
    public mutating func forget() { self = ShelfConnection() }
}
