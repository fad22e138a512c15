import Glibc

/// The clocks of the system, in nanoseconds.
package enum SystemClock {
    /// The time of the monotonic clock, which never goes back.
    package static var monotonic: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }
    /// The time since 1970-01-01 00:00 UTC.
    package static var wall: UInt64 { nanoseconds(of: CLOCK_REALTIME) }

    private static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
