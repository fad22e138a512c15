import Platform
import Synchronization

/// A signal to the target of an instance that the running method should end. Any thread.
///
/// The handlers run on the thread that sends the signal.
package final class CancelSignal: Sendable {
    private let handlers = Mutex(HandlerTable())
    private let forget: @Sendable () -> Void

    /// Creates the signal of an instance.
    ///
    /// - Parameter forget: removes registrations of the overlay in its host, such as sniffers.
    package init(forget: @escaping @Sendable () -> Void) {
        self.forget = forget
    }

    /// Removes the registrations of the overlay, because it starts again and repeats them.
    package func beginAnew() { forget() }

    /// Calls all handlers.
    package func send() {
        for handler in handlers.withLock({ $0.all }) { handler() }
    }

    /// Adds a handler and returns the number with which it can be removed.
    package func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        handlers.withLock { $0.add(handler) }
    }

    /// Removes a handler, which may still be running.
    package func remove(_ number: Int) { handlers.withLock { $0.remove(number) } }
}
