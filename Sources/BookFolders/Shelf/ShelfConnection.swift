import OverlayKit
import Platform

/// What an overlay remembers about its device between two calls, and whether it can use the device now.
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
        if let ejection { return ejection }
        let info = try host.transport.device()
        remember(info, device)
        do {
            _ = try BookPlace.documents(host)
            return .yes(appVersion: info.appVersion)
        } catch {
            guard error.status == .accessRefused else { throw error }
            return .no(.accessRefused, error.message, hint: error.hint)
        }
    }

    /// The answer about a device that the user ejected; nil about any other.
    package var ejection: Presence? {
        guard isEjected else { return nil }
        return .no(.ejected, "The device was ejected.", hint: "Unplug the device and plug it in again.")
    }

    /// Remembers the device by the UDID that the host knows, or else by its USB serial number.
    package mutating func remember(_ info: DeviceInfo, _ device: Fingerprint? = nil) {
        udid = info.udid ?? device?.serial
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
        let index = devices.firstIndex { $0.serial.map { UDID.isSame($0, udid) } ?? false }
        guard isEjected else { return index }
        if index == nil { isEjected = false }
        return nil
    }

    /// Ends the connection. The device is not notified, because nothing of it is in use between two calls.
    public mutating func eject() { isEjected = true }

    /// Forgets the device.
    public mutating func forget() { self = ShelfConnection() }
}
