import Dispatch
import Glibc

/// Lets one thread wait for another.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Waits until the gate is opened once.
    func wait() { semaphore.wait() }

    /// Opens the gate for one waiter.
    func open() { semaphore.signal() }
}

/// The thread that calls.
func currentThread() -> UInt { UInt(pthread_self()) }
