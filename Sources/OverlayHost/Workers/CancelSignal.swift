import DeviceTransport
import Glibc
import Synchronization

/// The cancel signal of an instance: tells the worker that runs its overlay when the running method should end, which the
/// tables of the contract cannot. The worker's side takes it from the thread that calls `create`.
///
/// The handlers run on the thread that sends the signal.
final class CancelSignal: Sendable {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let forget: @Sendable () -> Void
    /// Signals by the thread on which `create` runs.
    private static let lent = Mutex<[UInt: CancelSignal]>([:])

    /// The signal of an instance.
    ///
    /// - Parameter forget: takes back what the overlay has told its host for good, such as its sniffers.
    init(forget: @escaping @Sendable () -> Void) {
        self.forget = forget
    }

    /// The overlay begins anew, and tells its host everything again.
    func beginAnew() { forget() }

    /// The signal of the instance that is being created on this thread; nil outside `create`.
    static var current: CancelSignal? { lent.withLock { $0[UInt(pthread_self())] } }

    /// Runs `body`, within which the signal is `current`.
    func lend<Result>(_ body: () -> Result) -> Result {
        let thread = UInt(pthread_self())
        Self.lent.withLock { $0[thread] = self }
        defer { Self.lent.withLock { _ = $0.removeValue(forKey: thread) } }
        return body()
    }

    /// Calls all handlers.
    func send() {
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
