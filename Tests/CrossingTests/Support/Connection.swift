import CSystemShims
import Foundation
import OverlayABI
import Synchronization

@testable import Crossing

/// Two links in one program: one for the test, one that another thread serves until the test has ended.
final class Connection: Sendable {
    let near: Link
    let far: Link
    /// The near side's.
    let pulse: Pulse
    private let ended = DispatchSemaphore(value: 0)
    private let outcome = Mutex<CrossingError?>(nil)

    init(
        limits: CrossingLimits = CrossingLimits(), near events: Link.Events = Link.Events(),
        far farEvents: Link.Events = Link.Events(), reportsBreaches: Bool = false,
        prepare: @escaping @Sendable (Link) throws -> Void = { _ in }
    ) throws {
        var sockets: [Int32] = [-1, -1]
        var sides: [Int32] = [-1, -1]
        guard shim_socketpair(&sockets) == 0, shim_socketpair(&sides) == 0 else { throw POSIXError(.EMFILE) }
        guard let (pulse, descriptor) = Pulse.make() else { throw POSIXError(.EMFILE) }
        self.pulse = pulse
        let seen = Pulse(descriptor: descriptor)
        close(descriptor)
        near = Link(main: sockets[0], side: sides[0], limits: limits, events: events)
        far = Link(
            main: sockets[1], side: sides[1], limits: limits, reportsBreaches: reportsBreaches,
            events: farEvents, pulse: seen)
        let (far, ended) = (far, ended)
        Thread.detachNewThread { [self] in
            far.main.claim()
            do {
                try prepare(far)
                try far.main.serve()
            } catch {
                outcome.withLock { $0 = error as? CrossingError }
            }
            far.shutDown()
            ended.signal()
        }
        let near = near
        Thread.detachNewThread {
            while (try? near.side?.serveNext()) != nil {}
        }
    }

    /// Ends both sides and tells how the far one ended.
    @discardableResult
    func end() -> CrossingError? {
        near.shutDown()
        ended.wait()
        ended.signal()
        return outcome.withLock { $0 }
    }
}
