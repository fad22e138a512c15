import Foundation
import OverlayCalls
import OverlayTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost
@testable import OverlayWorkers
@testable import Platform

/// Counts workers.
final class WorkerCount: WorkerObserver {
    let pids = Mutex<(started: [Int32], ended: [Int32])>(([], []))

    var started: Int { pids.withLock { $0.started.count } }
    var ended: Int { pids.withLock { $0.ended.count } }

    func started(_ pid: Int32) { pids.withLock { $0.started.append(pid) } }
    func ended(_ pid: Int32) { pids.withLock { $0.ended.append(pid) } }
    func failed(_ failure: WorkerFailure) {}
    func broke(_ breach: ContractBreach) {}
}

@Suite("A worker can be started before its overlay is known")
struct SpareWorkerTests {
    private let folder: TemporaryFolder
    private let library: String
    private let count = WorkerCount()
    private let reserve = SpareWorker()

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("faulty.so")
        try FaultyOverlay.build(library)
    }

    private func options() throws -> WorkerOptions {
        var options = WorkerOptions(program: try FaultyOverlay.program())
        (options.reserve, options.observer) = (reserve, count)
        return options
    }

    private func overlay(_ options: WorkerOptions) -> WorkerOverlay {
        WorkerOverlay(library: library, of: library, temporary: folder.path, options: options) {}
    }

    @Test(
        "A spare worker serves the first chosen overlay, confined like any other, and the next gets its own"
    )
    func isTaken() throws {
        let options = try options()
        for _ in 0..<3 { options.startReserve(temporary: folder.path) }
        let workers = try [overlay(options), overlay(options)].map { overlay in
            let worker = try overlay.take()
            #expect(worker.confinement == .expected(options))
            #expect(worker.initialize?.name == "initialize")
            return worker
        }
        #expect(count.started == 2)
        for worker in workers { worker.process.hangUp() }
        for worker in workers { worker.process.waitForEnd() }
    }

    @Test("A spare worker that is not needed ends, and leaves no folder")
    func isDismissed() throws {
        try options().startReserve(temporary: folder.path)
        reserve.dismiss()
        try waitUntil { count.ended == 1 }
        #expect(count.started == 1)
        // The folder of a worker is removed after its end is reported, so that many files do not delay the report.
        try waitUntil {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
                .contains { $0.hasPrefix(LockedFolder.prefix) } == false
        }
    }

    @Test("A spare worker that is not used ends after a while, and the next overlay gets another")
    func isIdle() throws {
        var impatient = try options()
        impatient.longestIdle = .milliseconds(1)
        impatient.startReserve(temporary: folder.path)
        try waitUntil { count.ended == 1 }
        #expect(count.started == 1)
        let worker = try overlay(try options()).take()
        #expect(worker.process.isAlive && count.started == 2)
        worker.process.hangUp()
        worker.process.waitForEnd()
    }

    @Test("A spare worker that has died is replaced")
    func hasDied() throws {
        let options = try options()
        options.startReserve(temporary: folder.path)
        try waitUntil { count.started == 1 }
        let pid = try #require(count.pids.withLock { $0.started.first })
        kill(pid, SIGKILL)
        try waitUntil { count.ended == 1 }
        let worker = try overlay(options).take()
        #expect(worker.process.isAlive && count.started == 2)
        worker.process.hangUp()
        worker.process.waitForEnd()
    }
}
