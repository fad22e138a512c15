import CommandProtocol
import Glibc
import OverlayKit

/// The overlay for Marvin, an EPUB reader for iPad and iPhone.
///
/// Marvin keeps its books in a database that only it writes. This overlay reads a copy of the database, and asks for
/// changes through command files that Marvin picks up while its connection mode is on.
public final class MarvinOverlay: Overlay {
    let host: HostServices
    /// Deadlines of commands; other ones only in tests.
    var timing: CommandTiming
    /// The host's steady clock; another one only in tests.
    var now: () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    /// The host's time of day, in nanoseconds since 1970; another one only in tests.
    var wallClock: () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    /// What is known of the device this instance serves.
    var connected = ConnectedDevice()
    /// The collections that the host was shown.
    var shown = ShownCollections()
    /// What is remembered of the library.
    let cache: BooklistCache

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) {
        self.host = host
        cache = BooklistCache(host)
        timing = .standard
        timing.longestPoll = .milliseconds(250)
        // After a cancel the host gives five seconds to tidy up, of which Marvin gets two to stop by itself.
        timing.cancelGrace = .seconds(2)
    }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) {
        connected = ConnectedDevice()
        shown = ShownCollections()
        cache.forget()
    }

    /// The version Marvin itself told, or else the one iOS knows.
    func marvinVersion() throws(OverlayError) -> MarvinVersion? {
        if let version = connected.appVersion.flatMap(MarvinVersion.init) { return version }
        return try host.transport.device().appVersion.flatMap(MarvinVersion.init)
    }
}
