import FoundationEssentials
import OverlayKit

/// The overlay for Books, formerly iBooks, Apple's own reader app. It uses the device's media folder.
///
/// Books keeps its files in `/Books` of the media folder, which every iOS opens, and lists them in property lists. This
/// overlay reads the lists and files. It changes them only if the user has enabled that.
public final class IBooksOverlay: Overlay {
    let host: HostServices
    /// The time of day; tests replace it.
    var now: () -> Date = { Date() }
    /// A monotonic clock; tests replace it.
    var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()
    /// The UDID of the device that this instance serves, if it is known.
    var udid: String?
    /// Whether the user ended the connection while the device is still plugged in.
    var isEjected = false

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance and forgets the device.
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

    /// The key of the preference that allows adding and deleting.
    static let writeSwitch = "ibooks_write"
}

extension IBooksOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the media folder can be reached. Does not send requests to the device.
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

    /// The index of this instance's USB device: the known one, or else the first Apple device.
    ///
    /// Does not send requests to the device. An ejected device counts as absent until it has been unplugged.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
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
    public func eject() throws(OverlayError) { isEjected = true }

    /// Forgets the device.
    public func postYankCleanup() { forgetDevice() }
}
