import Platform
import Synchronization

/// The time of a device in usbmuxd from attach to detach. A device that is plugged in again begins another lifetime.
final class DeviceLifetime: Sendable {
    /// Counts the calls for this device that were abandoned but still run.
    let abandonedCalls = AbandonedCalls()
    /// The UDID of the device.
    let udid: String
    /// The number that usbmuxd gave the device when it was attached.
    let handle: UInt32
    private let end = Signal()

    init(udid: String, handle: UInt32) {
        self.udid = udid
        self.handle = handle
    }

    /// Whether the device was detached.
    var isGone: Bool { end.isRaised }

    /// A descriptor that is readable once the device is gone.
    var descriptor: Int32 { end.descriptor }

    /// Marks the device as gone, which wakes all threads that wait for it.
    func finish() { end.raise() }

    /// Calls a handler once when the device is gone, as long as the result is retained.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> Cancellation.Registration {
        end.whenRaised(handler)
    }
}

/// Counts library calls that were abandoned but still run. Each occupies a thread, so their number is limited even if
/// a device never answers. Each device has its own count, so that one that does not respond does not affect the
/// others.
final class AbandonedCalls: Sendable {
    /// The count for calls that do not concern a device.
    static let aboutNone = AbandonedCalls()
    private static let maximum = 32

    private let count = Mutex(0)

    /// Throws `.busy` if too many calls are stuck.
    func check() throws(TransportError) {
        guard count.withLock({ $0 }) < Self.maximum else {
            throw TransportError(
                .busy, "Too many calls to the device are stuck.",
                hint: "Reconnect the device, or restart usbmuxd.")
        }
    }

    func begin() { count.withLock { $0 += 1 } }

    func end() { count.withLock { $0 -= 1 } }
}
