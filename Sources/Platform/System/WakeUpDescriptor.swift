import CSystemShims
import Glibc

/// A wake-up descriptor (an eventfd): wakes threads that wait with `poll`, any number of times. Any thread.
package final class WakeUpDescriptor: Sendable {
    /// Readable after `signal`; -1 when the process is out of descriptors.
    package let descriptor: Int32

    /// Makes one that is not readable yet.
    package init() { descriptor = shim_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes the descriptor readable until `reset`.
    package func signal() {
        var one: UInt64 = 1
        // A full counter means that a wake-up is already due.
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable until the next `signal`.
    package func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
