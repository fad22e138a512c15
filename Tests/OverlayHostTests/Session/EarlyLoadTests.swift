import JSON
import OverlayCalls
import OverlayTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost
@testable import OverlayLoading
@testable import OverlayWorkers

@Suite("An overlay that does not depend on the device is loaded while the device is asked")
struct EarlyLoadTests {
    private var settings: SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = [SimulatedApp(bundleID: "com.example.reader", name: "Reader", version: "3.1")]
        return settings
    }

    /// A request for the fake overlay and another one, which records when each is prepared.
    private func request(
        _ environment: FakeEnvironment, _ device: SimulatedDevice, app: String?
    ) throws -> (request: SessionRequest, fake: PreparationLog, other: PreparationLog) {
        let asked: @Sendable () -> Int = { device.counters.requests.values.reduce(0, +) }
        var request = try environment.request()
        (request.device, request.app) = (device.settings.udid, app)
        let fake = environment.fake.loaded
        let fakeLog = PreparationLog(fake.factory, asked)
        let second = FakeOverlay()
        second.descriptor.id = "other"
        (second.descriptor.appName, second.descriptor.appIDs) = ("Other", ["org.other"])
        let other = second.loaded
        let otherLog = PreparationLog(other.factory, asked)
        request.overlays = OverlayCatalog(
            found: [(fake, fakeLog), (other, otherLog)].map { overlay, log in
                DiscoveredOverlay(
                    file: overlay.file, folder: PluginFolder(path: "/", origin: .option),
                    state: .ready(overlay.with(log)), descriptor: overlay.descriptor)
            })
        return (request, fakeLog, otherLog)
    }

    @Test(
        "The overlay of --app is loaded before the device is asked, and that of the device's apps later"
    )
    func order() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let named = try request(environment, device, app: "Reader")
            try HostSession(named.request).close()
            #expect(named.fake.askedBefore == 0)
            #expect(named.fake.events == ["prepare", "prepare", "create"])
            #expect(named.other.events.isEmpty)
            let unnamed = try request(environment, device, app: nil)
            try HostSession(unnamed.request).close()
            #expect(unnamed.fake.askedBefore.map { $0 > 2 } == true)
            #expect(unnamed.fake.events == ["prepare", "create"])
            #expect(unnamed.other.events.isEmpty)
        }
    }

    @Test("The loading is given up if the app is not on the device, or if there is no device")
    func isGivenUp() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            var (request, fake, other) = try request(environment, device, app: "Other")
            let missing = hostError { () throws(HostError) in _ = try HostSession(request) }
            #expect(missing?.code == .appNotInstalled)
            request.device = "no-such-device"
            let absent = hostError { () throws(HostError) in _ = try HostSession(request) }
            #expect(absent?.code == .noDevice)
            #expect(other.events == ["prepare", "dismiss", "prepare", "dismiss"])
            #expect(fake.events.isEmpty)
        }
    }
}

extension EarlyLoadTests {
    @Test(
        "An overlay under development is loaded before the device answers, and given up if its app is missing"
    )
    func development() throws {
        // Without a usbmuxd no device could be missing.
        _ = SharedUsbmuxd.daemon
        let environment = try FakeEnvironment()
        let library = environment.folder.path("faulty.so")
        try FaultyOverlay.build(library)
        let count = WorkerCount()
        var options = WorkerOptions(program: try FaultyOverlay.program())
        options.observer = count
        var request = try environment.request(
            [
                "development_mode": .bool(true), "development_app_id": .string("com.example.missing"),
                "development_overlay": .string(library),
            ])
        let world = try PluginWorld()
        request.discovery = OverlayDiscovery(paths: world.paths, isolation: .worker(options))
        request.device = "no-such-device"
        #expect(hostError { () throws(HostError) in _ = try HostSession(request) }?.code == .noDevice)
        try waitUntil { count.started > 0 && count.started == count.ended }
        // It has been described, and only the worker of the instance is started.
        let before = count.started
        try withSimulatedDevice(settings) { device in
            request.device = device.settings.udid
            device.onLockdownRequest { _, _ in
                try waitUntil { count.started == before + 1 }
                return false
            }
            #expect(
                hostError { () throws(HostError) in _ = try HostSession(request) }?.code == .appNotInstalled)
        }
        try waitUntil { count.ended == before + 1 }
        #expect(count.started == before + 1)
    }

    @Test("An overlay whose worker was started for another session is not dismissed")
    func anotherSession() throws {
        let environment = try FakeEnvironment()
        var request = try environment.request()
        (request.device, request.app) = ("no-such-device", "Reader")
        let log = PreparationLog(environment.fake.loaded.factory, startsWorker: false) { 0 }
        let overlay = environment.fake.loaded
        request.overlays = OverlayCatalog(
            found: [
                DiscoveredOverlay(
                    file: overlay.file, folder: PluginFolder(path: "/", origin: .option),
                    state: .ready(overlay.with(log)), descriptor: overlay.descriptor)
            ])
        #expect(hostError { () throws(HostError) in _ = try HostSession(request) }?.code == .noDevice)
        #expect(log.events == ["prepare"])
    }
}

/// An overlay that records its calls, and the number of requests to the device by then.
private final class PreparationLog: OverlayFactory {
    private let inner: any OverlayFactory
    private let asked: @Sendable () -> Int
    private let startsWorker: Bool
    private let state = Mutex<(events: [String], askedBefore: Int?)>(([], nil))

    init(_ inner: any OverlayFactory, startsWorker: Bool = true, _ asked: @escaping @Sendable () -> Int) {
        (self.inner, self.startsWorker, self.asked) = (inner, startsWorker, asked)
    }

    var events: [String] { state.withLock { $0.events } }
    /// The number of requests that the device had answered when the overlay was first prepared; nil if it never was.
    var askedBefore: Int? { state.withLock { $0.askedBefore } }

    func implements(_ function: FunctionPlan) -> Bool { inner.implements(function) }

    func prepare() -> Bool {
        let now = asked()
        state.withLock { state in
            state.events.append("prepare")
            state.askedBefore = state.askedBefore ?? now
        }
        return startsWorker
    }

    func dismiss() { state.withLock { $0.events.append("dismiss") } }

    func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CreationContext
    ) throws(WorkerFailure) -> (any OverlayTarget)? {
        state.withLock { $0.events.append("create") }
        return try inner.create(function, arguments, result, context)
    }
}
