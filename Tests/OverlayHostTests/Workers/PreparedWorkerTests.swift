import DeviceTransport
import Foundation
import OverlayCalls
import OverlayTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost
@testable import OverlayWorkers

@Suite("A worker can be started before it is needed")
struct PreparedWorkerTests {
    private let folder: TemporaryFolder
    private let library: String
    private let count = WorkerCount()

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("faulty.so")
        try FaultyOverlay.build(library)
    }

    /// An overlay that was described before, so that nothing runs yet.
    private func overlay(_ change: (inout WorkerOptions) -> Void = { _ in }) throws -> WorkerOverlay {
        var options = WorkerOptions(program: try FaultyOverlay.program())
        let first = WorkerOverlay(library: library, of: library, temporary: folder.path, options: options) {}
        _ = try first.describe()
        first.endSpare()
        options.observer = count
        change(&options)
        let overlay = WorkerOverlay(
            library: library, of: library, temporary: folder.path, options: options
        ) { () throws(OverlayRefusal) in throw OverlayRefusal(.notLoadable, "It has been removed.") }
        _ = try overlay.describe()
        #expect(count.started == 0)
        return overlay
    }

    @Test("A prepared worker serves the next instance, and no other is started meanwhile")
    func isTaken() throws {
        let overlay = try overlay()
        #expect([overlay.prepare(), overlay.prepare(), overlay.prepare()] == [true, false, false])
        let worker = try overlay.take()
        #expect(count.started == 1)
        let other = try overlay.take()
        #expect(count.started == 2)
        for worker in [worker, other] { overlay.giveBack(worker) }
        try waitUntil { count.ended == 2 }
    }

    @Test("A prepared worker that is not needed ends when it is told to")
    func isEnded() throws {
        let overlay = try overlay()
        overlay.prepare()
        overlay.endSpare()
        #expect(count.started == 1 && count.ended == 1)
    }

    @Test("A worker that is given up ends, whether it has started or not, and the next instance gets another")
    func isGivenUp() throws {
        let overlay = try overlay()
        #expect(overlay.prepare())
        overlay.dismiss()
        try waitUntil { count.ended == 1 }
        #expect(overlay.prepare())
        #expect(!overlay.prepare())
        overlay.giveBack(try overlay.take())
        #expect(count.started == 2)
        try waitUntil { count.ended == 2 }
        // A worker that is needed again while it starts is kept.
        #expect(overlay.prepare())
        overlay.dismiss()
        let worker = try overlay.take()
        #expect(worker.process.isAlive)
        overlay.giveBack(worker)
        try waitUntil { count.ended == count.started }
    }

    @Test(
        "The instance that needs the worker learns why it could not be started, and the next one retries"
    )
    func isRefused() throws {
        let overlay = try overlay()
        let aside = library + ".aside"
        try FileManager.default.moveItem(atPath: library, toPath: aside)
        overlay.prepare()
        let failure = #expect(throws: WorkerFailure.self) { try overlay.take() }
        #expect(failure?.clause.contains("It has been removed.") == true)
        try FileManager.default.moveItem(atPath: aside, toPath: library)
        overlay.giveBack(try overlay.take())
        #expect(count.started == 1)
    }

    @Test("A cancel ends a worker while it starts")
    func isCancelled() throws {
        let cancellation = Cancellation()
        let overlay = try overlay { $0.cancellation = cancellation }
        cancellation.cancel()
        overlay.prepare()
        let failure = #expect(throws: WorkerFailure.self) { try overlay.take() }
        #expect(failure?.isCancelled == true)
        try waitUntil { count.started == count.ended }
    }
}
