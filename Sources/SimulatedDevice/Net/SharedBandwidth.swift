import Synchronization

/// The cable that all connections of a device share: bytes leave one after the other, at so many per second.
package final class SharedBandwidth: Sendable {
    private let free = Mutex(ContinuousClock.now)

    package init() {}

    /// When the last of `count` bytes that are ready now has crossed, at `rate` bytes per second or, with nil, at once.
    package func transmission(_ count: Int, rate: Int?) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        guard let rate, rate > 0 else { return now }
        let time = Duration.seconds(Double(count) / Double(rate))
        return free.withLock { free in
            free = max(free, now) + time
            return free
        }
    }
}
