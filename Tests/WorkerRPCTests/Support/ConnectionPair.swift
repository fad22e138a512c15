import CSystemShims
import Foundation
import OverlayABI
import Synchronization

@testable import OverlayCalls
@testable import WorkerRPC

/// Both sides of a connection in one program: one for the test, and one that another thread serves until the test has
/// ended.
final class ConnectionPair: Sendable {
    let near: RPCConnection
    let far: RPCConnection
    /// The near side.
    let changeCounter: SharedCounter
    private let ended = DispatchSemaphore(value: 0)
    private let outcome = Mutex<WorkerRPCError?>(nil)

    init(
        limits: WorkerRPCLimits = WorkerRPCLimits(),
        near events: RPCConnection.Events = RPCConnection.Events(),
        far farEvents: RPCConnection.Events = RPCConnection.Events(), reportsBreaches: Bool = false,
        prepare: @escaping @Sendable (RPCConnection) throws -> Void = { _ in }
    ) throws {
        var sockets: [Int32] = [-1, -1]
        var sides: [Int32] = [-1, -1]
        guard shim_socketpair(&sockets) == 0, shim_socketpair(&sides) == 0 else { throw POSIXError(.EMFILE) }
        guard let (changeCounter, descriptor) = SharedCounter.make() else { throw POSIXError(.EMFILE) }
        self.changeCounter = changeCounter
        let seen = SharedCounter(descriptor: descriptor)
        close(descriptor)
        near = RPCConnection(main: sockets[0], side: sides[0], limits: limits, events: events)
        far = RPCConnection(
            main: sockets[1], side: sides[1], limits: limits, reportsBreaches: reportsBreaches,
            events: farEvents, changeCounter: seen)
        let (far, ended) = (far, ended)
        Thread.detachNewThread { [self] in
            far.main.claim()
            do {
                try prepare(far)
                try far.main.serve()
            } catch {
                outcome.withLock { $0 = error as? WorkerRPCError }
            }
            far.shutDown()
            ended.signal()
        }
        let near = near
        Thread.detachNewThread {
            while (try? near.side?.serveNext()) != nil {}
        }
    }

    /// Ends both sides and returns how the far one ended.
    @discardableResult
    func end() -> WorkerRPCError? {
        near.shutDown()
        ended.wait()
        ended.signal()
        return outcome.withLock { $0 }
    }
}
