import Foundation
import Synchronization

/// Opens after an event, so that a test need not guess how long it takes.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    /// Opens the gate; further calls do nothing.
    func open() {
        let first = isOpen.withLock { open in
            defer { open = true }
            return !open
        }
        if first { semaphore.signal() }
    }

    /// Waits until it is open; returns false after five minutes.
    func wait() -> Bool { semaphore.wait(timeout: .now() + 300) == .success }
}
