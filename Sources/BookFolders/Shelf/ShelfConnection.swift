import OverlayKit

/// Whether an app's folder can be served now, and what an instance remembers of its device between two calls.
public struct ShelfConnection: Equatable, Sendable {
    /// The UDID, once it is known.
    public private(set) var udid: String?
    /// The person ended the connection and the device is still plugged in.
    public private(set) var isEjected = false

    /// No device yet.
    public init() {}

    /// Whether the app's documents can be reached. Asks the device nothing.
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

    /// The USB device that is this instance's: the known one, or else the first Apple device. Asks the device nothing.
    ///
    /// An ejected device counts as absent until it is really unplugged.
    public mutating func index(in devices: [Fingerprint], presenceOnly: Bool) -> Int? {
        guard let udid else {
            // Vendor 0 is a host that does not know it.
            return presenceOnly ? nil : devices.firstIndex { $0.vendorID == 0x05AC || $0.vendorID == 0 }
        }
        let index = devices.firstIndex { $0.serial.map { Self.isSame($0, udid) } ?? false }
        guard isEjected else { return index }
        if index == nil { isEjected = false }
        return nil
    }

    /// Newer devices show their serial over USB without the dash that their UDID has.
    private static func isSame(_ serial: String, _ udid: String) -> Bool {
        serial.lowercased().filter { $0 != "-" } == udid.lowercased().filter { $0 != "-" }
    }

    /// Ends the connection; the device itself is not told, for nothing of it is in use between two calls.
    public mutating func eject() { isEjected = true }

    /// Forgets the device.
    public mutating func forget() { self = ShelfConnection() }
}
