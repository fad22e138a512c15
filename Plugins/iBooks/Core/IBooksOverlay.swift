import FoundationEssentials
import OverlayKit

/// The overlay for Books, which was called iBooks: Apple's own reader app, by way of the device's media folder.
///
/// Books keeps its files under `/Books` of the media folder, which every iOS opens, and names them in property lists. This
/// overlay reads those lists and files. It changes them only where the person has switched that on.
public final class IBooksOverlay: Overlay {
    let host: HostServices
    /// The time of day; tests set another.
    var now: () -> Date = { Date() }
    /// A clock that does not go back; tests set another.
    var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()
    /// The UDID of the device this instance serves, once it is known.
    var udid: String?
    /// Whether the person ended the connection and the device is still plugged in.
    var isEjected = false

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) { forgetDevice() }

    /// Forgets the device.
    func forgetDevice() {
        udid = nil
        isEjected = false
    }

    /// Whether books may be added and deleted.
    var mayWrite: Bool {
        get throws(OverlayError) { try host.prefs.bool(Self.writeSwitch, default: false) }
    }

    /// The key of the switch that allows adding and deleting.
    static let writeSwitch = "ibooks_write"
}

extension IBooksOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the media folder can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if isEjected {
            return .no(.ejected, "The device was ejected.", hint: "Unplug the device and plug it in again.")
        }
        udid = try host.transport.device().udid ?? device.serial
        guard let media = try host.transport.roots().first(where: { $0.root == .media }) else {
            return .no(.accessRefused, "This host does not provide access to the media folder of devices.")
        }
        guard media.granted else {
            return .no(
                .accessRefused, media.reason ?? "iOS does not allow access to the media folder.",
                hint: media.hint)
        }
        return .yes()
    }

    /// The USB device that is this instance's: the known one, or else the first Apple device.
    ///
    /// Asks the device nothing. An ejected device counts as absent until it is really unplugged.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
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

    /// Ends the connection; nothing on the device is in use between two calls.
    public func eject() throws(OverlayError) { isEjected = true }

    /// Forgets the device.
    public func postYankCleanup() { forgetDevice() }
}
