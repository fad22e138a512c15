import Synchronization

/// Counts the calls of the library that were given up and go on, so that a device which answers nothing gathers no threads without
/// end. Each device has a count of its own: one that hangs is no trouble to another.
final class AbandonedCalls: Sendable {
    /// Those that are about no device.
    static let aboutNone = AbandonedCalls()
    private static let maximum = 32

    private let count = Mutex(0)

    /// Throws when no further call may be begun.
    func check() throws(TransportError) {
        guard count.withLock({ $0 }) < Self.maximum else {
            throw TransportError(
                .busy, "too many calls to the device are stuck",
                hint: "Reconnect the device, or restart usbmuxd.")
        }
    }

    func begin() { count.withLock { $0 += 1 } }

    func end() { count.withLock { $0 -= 1 } }
}
