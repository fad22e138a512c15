import OverlayTestSupport
import OverlayCalls
import WorkerRPC
import DeviceTransport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A method of an overlay can be ended")
struct EndingMethodsTests {
    /// An instance that serves the device, and the switch that ends its methods.
    private func attached(
        _ world: WorkerWorld, unfinished: (@Sendable (String) -> Void)? = nil
    ) throws -> OverlayInstance {
        world.environment.unfinished = unfinished
        return try world.attached()
    }

    @Test("A cancel reports at once which method it waits for, and nothing if none runs")
    func unfinished() throws {
        let world = try WorkerWorld()
        let calls = Calls()
        let instance = try attached(world) { calls.add($0) }
        defer { instance.destroy() }
        let cancellation = world.environment.cancellation
        world.environment.progress.onUpdate { _ in cancellation.cancel() }
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .cancelled)
        instance.destroy()
        #expect(calls.all == ["delete_books"])
        let idle = Calls()
        let other = try WorkerWorld()
        let second = try attached(other) { idle.add($0) }
        defer { second.destroy() }
        other.environment.cancellation.cancel()
        second.destroy()
        #expect(idle.all.isEmpty)
    }

    @Test(
        "A cancel within a callback is taken although reporting it needs the callback's lock"
    )
    func cancelWithinCallback() throws {
        let world = try WorkerWorld()
        let (output, calls) = (Output(), Calls())
        let instance = try attached(world) { call in output.whole.withLock { _ in calls.add(call) } }
        defer { instance.destroy() }
        let cancellation = world.environment.cancellation
        world.environment.progress.onUpdate { _ in output.whole.withLock { _ in cancellation.cancel() } }
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .cancelled)
        instance.destroy()
        #expect(calls.all == ["delete_books"])
    }

    @Test("For the caller, a worker that was ended for a cancel is a cancelled command, not a broken overlay")
    func killed() {
        let failure = WorkerFailure(end: .killed(.cancelled, "was stopped"), clause: "was stopped")
        #expect(failure.error(overlay: "faulty").code == .cancelled)
        #expect(WorkerFailure(end: .exit(3), clause: "ended").error(overlay: "faulty").code == .overlayBroke)
    }

    @Test("A cancel ends an overlay that hangs while it is loaded")
    func loading() throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        let error = hostError { () throws(HostError) in
            do {
                _ = try WorkerWorld(["HANG_WHEN_LOADED"]) {
                    $0.cancellation = cancellation
                    $0.start = .seconds(250)
                }
            } catch {
                throw error as? HostError ?? HostError(.failed, "\(error)")
            }
        }
        #expect(error?.code == .cancelled, "\(String(describing: error))")
    }

    /// Text that one thread writes at a time.
    private final class Output: Sendable {
        let whole = Mutex(())
    }

    /// The reports, in order.
    private final class Calls: Sendable {
        private let stored = Mutex<[String]>([])
        var all: [String] { stored.withLock { $0 } }
        func add(_ call: String) { stored.withLock { $0.append(call) } }
    }
}
