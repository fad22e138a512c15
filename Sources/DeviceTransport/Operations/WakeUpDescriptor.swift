import CSystemShims
import Glibc

/// A wake-up descriptor (an eventfd): wakes one thread that waits with `poll`, any number of times.
final class WakeUpDescriptor: Sendable {
    /// Readable after `signal`; -1 when the process is out of descriptors.
    let descriptor: Int32

    init() { descriptor = shim_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable until the next `signal`.
    func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
