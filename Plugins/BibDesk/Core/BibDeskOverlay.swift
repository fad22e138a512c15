import BibTeX
import BookFolders
import Glibc
import OverlayKit

/// The overlay for BibDesk's app, and for any app that keeps `.bib` files and the papers they link to.
///
/// A book is a reference with a paper. The app takes its folders for a copy of what is on a Mac, and refuses a whole library
/// for one malformed entry, so nothing is written that it would not load.
public final class BibDeskOverlay: Overlay {
    let host: HostServices
    /// What is known of the device this instance serves.
    private var connection = ShelfConnection()
    /// What was said of its libraries already.
    private var toldRemarks: Set<String> = []
    /// The time of day in seconds since 1970-01-01 00:00 UTC; tests set another.
    var now: () -> Int64 = { Int64(time(nil)) }
    /// Seconds by which local time is ahead of UTC; tests set another.
    var localOffset: @Sendable (Int64) -> Int64 = { moment in
        var (seconds, civil) = (time_t(moment), tm())
        return localtime_r(&seconds, &civil) == nil ? 0 : Int64(civil.tm_gmtoff)
    }
    /// A clock that does not go back; tests set another.
    var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance: forgets the device.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// The app's name, as iOS knows it.
    func appName() throws(OverlayError) -> String { try host.transport.device().appName ?? "BibDesk" }

    /// What the person has set.
    func preferences() throws(OverlayError) -> BibDeskSettings { try BibDeskSettings(host.prefs) }

    /// The references of the device; what was left out is logged.
    func references(_ settings: BibDeskSettings) throws(OverlayError) -> ReferenceList {
        let device = try DeviceLibraries.read(host, settings)
        // Several calls of one command read the libraries.
        for remark in device.remarks where toldRemarks.insert(remark).inserted {
            host.log.warning(BibDeskSettings.logCategory, remark)
        }
        return ReferenceList(device)
    }

    /// The time for conditions on dates.
    func groupClock() -> GroupClock { GroupClock(now: now(), offset: localOffset) }
}

extension BibDeskOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the app's files can be reached. Asks the device nothing.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        let presence = try connection.presence(host, device)
        guard presence.answer == .no, presence.reason == .accessRefused else { return presence }
        do throws(OverlayError) {
            _ = try ReferenceStore.root(host)
            return presence
        } catch {
            guard error.status == .accessRefused else { throw error }
            return .no(.accessRefused, error.message, hint: error.hint)
        }
    }

    /// The USB device that is this instance's. Asks the device nothing.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }
}
