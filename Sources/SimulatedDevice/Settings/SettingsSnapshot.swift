import Synchronization

/// The settings that every request and every piece on the cable need, readable without a lock on which all
/// connections would wait.
final class SettingsSnapshot: Sendable {
    private let faulty = Atomic<Bool>(false)
    private let strict = Atomic<Bool>(false)
    private let latency = Atomic<Int64>(0)
    private let roundTrip = Atomic<Int64>(0)
    /// The bandwidth in bytes per second; negative for no limit.
    private let rate = Atomic<Int>(-1)

    init(_ settings: SimulatedDeviceSettings) { adopt(settings) }

    func adopt(_ settings: SimulatedDeviceSettings) {
        faulty.store(settings.faults != FaultPlan(), ordering: .releasing)
        strict.store(settings.fileRules != FileRules(), ordering: .releasing)
        latency.store(Self.nanoseconds(settings.requestLatency), ordering: .releasing)
        roundTrip.store(Self.nanoseconds(settings.linkRoundTrip), ordering: .releasing)
        rate.store(settings.bandwidth ?? -1, ordering: .releasing)
    }

    /// Whether there is a fault plan.
    var isFaulty: Bool { faulty.load(ordering: .acquiring) }
    /// Whether the file rules differ from the lenient ones.
    var hasFileRules: Bool { strict.load(ordering: .acquiring) }
    /// The time that the device spends on each request.
    var requestLatency: Duration { .nanoseconds(latency.load(ordering: .acquiring)) }
    /// The round-trip time of the link.
    var linkRoundTrip: Duration { .nanoseconds(roundTrip.load(ordering: .acquiring)) }
    /// The bandwidth in bytes per second; nil for no limit.
    var bandwidth: Int? {
        let rate = rate.load(ordering: .acquiring)
        return rate < 0 ? nil : rate
    }

    /// The duration in nanoseconds, up to 292 years.
    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? 0 : .max }
        let (sum, tooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooMuch ? .max : max(0, sum)
    }
}
