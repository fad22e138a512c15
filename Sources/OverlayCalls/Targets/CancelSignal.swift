import Synchronization

/// Sent to the target of an instance when the running method should end. Any thread.
///
/// The handlers run on the thread that sends the signal.
package final class CancelSignal: Sendable {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let forget: @Sendable () -> Void

    /// The signal of an instance.
    ///
    /// - Parameter forget: takes back what the overlay has told its host for good, such as its sniffers.
    package init(forget: @escaping @Sendable () -> Void) {
        self.forget = forget
    }

    /// The overlay starts again, and tells its host everything again.
    package func beginAnew() { forget() }

    /// Calls all handlers.
    package func send() {
        for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
    }

    /// Keeps a handler until it is removed by the number that is returned.
    package func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
    }

    /// Forgets a handler; it may still be running.
    package func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}
