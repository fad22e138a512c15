import DeviceTransport
import Foundation
import OverlayABI
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A new build ends the run in which it is found, whatever that is at")
struct HotReloadTests {
    /// Whether the overlay is told that it is cancelled.
    private static func hearsCancel(_ fake: FakeOverlay) -> Bool {
        let table: UnsafePointer<ovl_cancel_service>? = fake.service(OVL_SERVICE_CANCEL)
        guard let table, let ask = table.pointee.is_cancelled else { return false }
        return ask(table.pointee.ctx) != 0
    }

    @Test("The wait for a reader app ends, and the overlay is shut down as after any other")
    func waiting() throws {
        let environment = try FakeEnvironment()
        let (fake, hotReload) = (environment.fake, HotReload())
        var (looks, ends) = (0, [String]())
        fake.canHandle = { _, sink, _ in
            looks += 1
            return looks < 4
                ? sink.put(OVL_PRESENCE_NOT_NOW, reason: OVL_REASON_APP_OFFLINE)
                : sink.put(OVL_PRESENCE_YES)
        }
        fake.shutdown = { _ in
            ends.append("shutdown, cancelled: \(Self.hearsCancel(fake))")
            return OVL_OK
        }
        fake.destroyed = { ends.append("destroy") }
        environment.device.onWait { _, _ in hotReload.takeOver() }
        var request = try environment.request(presenceLimit: .seconds(600))
        request.hotReload = hotReload
        let target = try environment.target()
        let error = hostError { () throws(HostError) in try HostSession(target, request).close() }
        #expect(error?.code == .cancelled, "\(String(describing: error))")
        #expect(looks == 1)
        #expect(ends == ["shutdown, cancelled: false", "destroy"])
    }

    @Test("What begins before the next run is told that it is cancelled, but not what an instance ends with")
    func between() throws {
        let environment = try FakeEnvironment()
        let (fake, hotReload) = (environment.fake, HotReload())
        environment.hotReload = hotReload
        var heard: [String] = []
        func hear(_ name: String) -> ovl_status {
            if Self.hearsCancel(fake) { heard.append(name) }
            return OVL_OK
        }
        fake.create = { _ in hear("create") }
        fake.initialize = { _ in hear("initialize") }
        fake.eject = { _ in hear("eject") }
        fake.cleanUp = { _ in hear("post_yank_cleanup") }
        fake.shutdown = { _ in hear("shutdown") }
        // A build is found while the one before it is loaded: there is no instance yet that could be told.
        hotReload.takeOver()
        let instance = try environment.attached()
        try instance.call(.eject)
        try instance.call(.postYankCleanup)
        #expect(heard == ["create", "initialize", "eject"])
        instance.destroy()
        #expect(heard == ["create", "initialize", "eject"])
        hotReload.begin()
        let next = try environment.attached()
        next.destroy()
        #expect(heard == ["create", "initialize", "eject"], "it is another run")
    }

    @Test("A method that waits, or begins to, does not wait to the end")
    func waitingMethod() throws {
        let environment = try FakeEnvironment()
        let (fake, hotReload) = (environment.fake, HotReload())
        environment.hotReload = hotReload
        let caught = CaughtError()
        fake.books = { _, _, _ in
            guard let table: UnsafePointer<ovl_cancel_service> = fake.service(OVL_SERVICE_CANCEL) else {
                return OVL_FAILED
            }
            return caught.sink { table.pointee.wait?(table.pointee.ctx, 3_600_000_000_000, $0) ?? OVL_FAILED }
        }
        environment.device.onWait { _, _ in hotReload.takeOver() }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let error = hostError { () throws(HostError) in _ = try instance.books() }
        #expect(error?.code == .cancelled, "\(String(describing: error))")
        #expect(caught.status == OVL_CANCELLED)
    }

    @Test("An overlay that hangs while it is loaded is ended, and told apart from a cancelled one")
    func loading() throws {
        let hotReload = HotReload()
        hotReload.takeOver()
        do {
            _ = try WorkerWorld(["HANG_WHEN_LOADED"]) {
                $0.hotReload = hotReload
                $0.start = .seconds(250)
            }
            Issue.record("it was loaded")
        } catch let error as HostError {
            #expect(error.code == .overlayRefused)
            #expect(
                error.message == "It was stopped while loading because a new build is available.")
        }
    }

    @Test("An overlay that computes in a method that begins later is ended")
    func computing() throws {
        let hotReload = HotReload()
        let world = try WorkerWorld()
        world.environment.hotReload = hotReload
        let instance = try world.attached()
        defer { instance.destroy() }
        hotReload.takeOver()
        let error = try #require(instance.deleteBooks(["loop"]).failure)
        #expect(error.code == .overlayBroke)
        #expect(error.message.contains("because a new build is available"), "\(error.message)")
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .cancelled)
        hotReload.begin()
        #expect(instance.deleteBooks(["nothing special"]).failure == nil)
    }
}
