import CSystemShims
import Glibc

/// A wake-up descriptor (an eventfd), which wakes threads that wait in `poll` any number of times. Any thread.
package final class WakeUpDescriptor: Sendable {
    /// Readable after `signal`; -1 if the process is out of descriptors.
    package let descriptor: Int32

    /// Creates a descriptor that is not readable yet.
    package init() { descriptor = shim_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes the descriptor readable until `reset`.
    package func signal() {
        var one: UInt64 = 1
        // If the counter is full, a wake-up is pending already.
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable until the next `signal`.
    package func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
