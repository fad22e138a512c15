import BookFolders
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
    /// The device that this instance serves.
    private var connection = ShelfConnection()

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance and forgets the device.
    public func shutdown() throws(OverlayError) { connection.forget() }

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
        if let ejection = connection.ejection { return ejection }
        connection.remember(try host.transport.device(), device)
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

    /// The index of this instance's USB device. Does not send requests to the device.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection; nothing on the device is in use between two calls.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }
}
