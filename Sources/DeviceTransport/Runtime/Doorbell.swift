import CSystemShims
import Glibc

/// Wakes one thread that waits with `poll`, again and again.
final class Doorbell: Sendable {
    /// Readable after a ring; -1 when the process is out of descriptors.
    let descriptor: Int32

    init() { descriptor = shim_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable until the next ring.
    func quiet() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
