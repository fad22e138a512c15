import DeviceTransport
import Glibc
import Synchronization

/// Rings, on whatever thread notices it, when the running method of an instance should end: it was cancelled, or its device is
/// gone.
///
/// Whoever runs the overlay elsewhere takes the bell of the instance from the thread that calls `create`, because the tables of
/// the contract, through which it is called, know of no such thing.
final class StopBell: Sendable {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    /// Bells by the thread on which `create` runs.
    private static let lent = Mutex<[UInt: StopBell]>([:])

    /// The bell of the instance that is being created on this thread; nil outside `create`.
    static var current: StopBell? { lent.withLock { $0[UInt(pthread_self())] } }

    /// Runs `body`, within which the bell is `current`.
    func lend<Result>(_ body: () -> Result) -> Result {
        let thread = UInt(pthread_self())
        Self.lent.withLock { $0[thread] = self }
        defer { Self.lent.withLock { _ = $0.removeValue(forKey: thread) } }
        return body()
    }

    /// Calls all handlers.
    func ring() {
        for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
    }

    /// Keeps a handler until it is removed by the number that is returned.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
    }

    /// Forgets a handler; it may still be running.
    func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}
