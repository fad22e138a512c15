import FoundationEssentials
import OverlayKit

/// The overlay for Books, which was called iBooks: Apple's own reader app, by way of the device's media folder.
///
/// Books keeps its files under `/Books` of the media folder, which every iOS opens, and names them in property lists. This
/// overlay reads those lists and files. It changes them only where the person has switched that on.
public final class IBooksOverlay: Overlay {
    let host: HostServices
    /// The time of day; another one only in tests.
    var now: () -> Date = { Date() }
    /// A clock that does not go back; another one only in tests.
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
