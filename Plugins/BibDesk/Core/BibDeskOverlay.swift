import BibTeX
import BookFolders
import Glibc
import OverlayKit

/// The overlay for BibDesk's app, and for any app that keeps `.bib` files and the papers to which they link.
///
/// A book is a reference with a paper. The app treats its folders as a copy of those on a Mac and refuses a whole
/// library because of one malformed entry, so nothing is written that it would not load.
public final class BibDeskOverlay: Overlay {
    let host: HostServices
    /// The device that this instance serves.
    private var connection = ShelfConnection()
    /// Remarks about its libraries that have been logged.
    var toldRemarks: Set<String> = []
    /// The time of day in seconds since 1970-01-01 00:00 UTC; tests replace it.
    var now: () -> Int64 = { Int64(time(nil)) }
    /// Returns by how many seconds local time is ahead of UTC; tests replace it.
    var localOffset: @Sendable (Int64) -> Int64 = { moment in
        var (seconds, civil) = (time_t(moment), tm())
        return localtime_r(&seconds, &civil) == nil ? 0 : Int64(civil.tm_gmtoff)
    }
    /// A monotonic clock; tests replace it.
    var clock: () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Ends the instance: forgets the device.
    public func shutdown() throws(OverlayError) { connection.forget() }

    /// The app's name, as iOS knows it.
    func appName() throws(OverlayError) -> String { try host.transport.device().appName ?? "BibDesk" }

    /// The user's settings.
    func preferences() throws(OverlayError) -> BibDeskSettings { try BibDeskSettings(host.prefs) }

    /// The references on the device; what was left out is logged.
    func references(_ settings: BibDeskSettings) throws(OverlayError) -> ReferenceList {
        let device = try DeviceLibraries.read(host, settings)
        // Several calls of one command read the libraries, so each remark is logged only once.
        for remark in device.remarks where toldRemarks.insert(remark).inserted {
            host.log.warning(BibDeskSettings.logCategory, remark)
        }
        for notice in device.notices where toldRemarks.insert(notice).inserted {
            host.log.notice(BibDeskSettings.logCategory, notice)
        }
        return ReferenceList(device)
    }

    /// The time for conditions on dates.
    func groupClock() -> GroupClock { GroupClock(now: now(), offset: localOffset) }
}

extension BibDeskOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether the app's files can be reached. Does not send requests to the device.
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

    /// The index of this instance's USB device. Does not send requests to the device.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        connection.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Ends the connection.
    public func eject() throws(OverlayError) { connection.eject() }

    /// Forgets the device.
    public func postYankCleanup() { connection.forget() }
}
