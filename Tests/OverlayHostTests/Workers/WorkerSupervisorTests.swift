import CSystemShims
import WorkerRPC
import Glibc
import Platform
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost

@Suite("The owner of a worker closes the descriptors that were meant for it")
struct WorkerSupervisorTests {
    @Test("Nothing stays open for a worker that was never started")
    func neverStarted() throws {
        var ends: [Int32] = [-1, -1]
        let made = shim_socketpair(&ends)
        try #require(made == 0)
        defer { close(ends[0]) }
        let written = WorkerStream(nil)
        func open() throws -> RPCConnection {
            let supervisor = WorkerSupervisor(
                library: "", temporary: "", options: WorkerOptions(program: ""),
                wake: WakeUpDescriptor(),
                words: [ends[1], -1])
            return try supervisor.open(RPCConnection.Events(), written, WorkerStream(nil))
        }
        let rpc = try open()
        // A process that another test starts may hold a descriptor for a moment after it is closed here.
        try waitUntil { !written.read() }
        var item = pollfd(fd: ends[0], events: 0, revents: 0)
        try waitUntil { poll(&item, 1, 0) > 0 }
        #expect(Int32(item.revents) & Int32(POLLHUP) != 0)
        withExtendedLifetime(rpc) {}
    }
}
