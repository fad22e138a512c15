import OverlayABI
import SimulatedDevice
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayWorkers
@testable import OverlayHost

@Suite(
    "A watched device is asked at most once a second for what it does not tell, and its answer is seen in time"
)
struct WatchedDeviceTests {
    /// The reason why the reader app is not found at first.
    enum Obstacle: CaseIterable {
        case locked, notInstalled
    }

    private static let reader = SimulatedApp(bundleID: "com.example.reader", name: "Reader", version: "3.1")

    private func settings(_ obstacle: Obstacle?) -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = obstacle == .notInstalled ? [] : [Self.reader]
        settings.isLocked = obstacle == .locked
        return settings
    }

    private func watched(_ environment: FakeEnvironment, _ device: SimulatedDevice) throws -> WatchedDevice {
        environment.fake.canHandle = { _, sink, _ in sink.put(OVL_PRESENCE_YES) }
        var request = try environment.request()
        request.app = "com.example.reader"
        return WatchedDevice(device.settings.udid, request)
    }

    /// Ahead of the clock, so that only the test's time passes.
    private var later: ContinuousClock.Instant { .now.advanced(by: .seconds(3600)) }

    /// The notices of checks every tenth of a second, until this long after `start`.
    private func news(
        _ watched: WatchedDevice, _ start: ContinuousClock.Instant, seconds: Range<Int>
    ) -> [WatchedDevice.News] {
        (seconds.lowerBound * 10..<seconds.upperBound * 10).compactMap { tenth in
            watched.check(start.advanced(by: .milliseconds(100 * tenth)))
        }
    }

    @Test(
        "While the device is locked or the app is missing, a minute costs at most sixty requests",
        arguments: Obstacle.allCases)
    func questions(_ obstacle: Obstacle) throws {
        try withSimulatedDevice(settings(obstacle)) { device in
            let environment = try FakeEnvironment()
            let watched = try watched(environment, device)
            defer { watched.close() }
            let start = later
            let state: ReaderConnection.State = obstacle == .locked ? .unreachable : .appMissing
            #expect(watched.check(start)?.state == state)
            device.resetCounters()
            #expect(news(watched, start, seconds: 1..<61).isEmpty)
            let counters = device.counters
            let questions = counters.requests.values.reduce(0, +)
            #expect((12...60).contains(questions), "\(counters.requests)")
            #expect(counters.connections <= 60)
        }
    }

    @Test(
        "An unlocked device and an installed app are seen within five seconds", arguments: Obstacle.allCases)
    func seen(_ obstacle: Obstacle) throws {
        try withSimulatedDevice(settings(obstacle)) { device in
            let environment = try FakeEnvironment()
            let watched = try watched(environment, device)
            defer { watched.close() }
            let start = later
            _ = watched.check(start)
            try device.update {
                $0.isLocked = false
                $0.apps = [Self.reader]
            }
            #expect(news(watched, start, seconds: 1..<6).map(\.state) == [.online])
        }
    }

    @Test(
        "A reader app that was found is asked every two seconds, also while builds of its overlay are waited for"
    )
    func found() throws {
        try withSimulatedDevice(settings(nil)) { device in
            let environment = try FakeEnvironment()
            var asked = 0
            environment.fake.canHandle = { _, sink, _ in
                asked += 1
                return sink.put(OVL_PRESENCE_YES)
            }
            var request = try environment.request()
            request.watchesOverlay = true
            let watched = WatchedDevice(device.settings.udid, request)
            defer { watched.close() }
            let start = later
            #expect(watched.check(start)?.state == .online)
            #expect(news(watched, start, seconds: 1..<61).isEmpty)
            #expect(asked == 31)
        }
    }
}
