import Platform
import Synchronization

/// Sent to the target of an instance when the running method should end. Any thread.
///
/// The handlers run on the thread that sends the signal.
package final class CancelSignal: Sendable {
    private let handlers = Mutex(HandlerTable())
    private let forget: @Sendable () -> Void

    /// The signal of an instance.
    ///
    /// - Parameter forget: takes back what the overlay has told its host for good, such as its sniffers.
    package init(forget: @escaping @Sendable () -> Void) {
        self.forget = forget
    }

    /// The overlay begins anew, and tells its host everything again.
    package func beginAnew() { forget() }

    /// Calls all handlers.
    package func send() {
        for handler in handlers.withLock({ $0.all }) { handler() }
    }

    /// Keeps a handler until it is removed by the number that is returned.
    package func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        handlers.withLock { $0.add(handler) }
    }

    /// Forgets a handler; it may still be running.
    package func remove(_ number: Int) { handlers.withLock { $0.remove(number) } }
}
