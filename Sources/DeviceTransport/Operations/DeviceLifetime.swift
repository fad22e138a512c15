import Platform
import Synchronization

/// The time of a device at usbmuxd from attach to detach. A device that is plugged in again begins another
/// one.
final class DeviceLifetime: Sendable {
    /// Calls about this device that were given up but still run.
    let abandonedCalls = AbandonedCalls()
    /// The device.
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

    /// Readable once the device is gone.
    var descriptor: Int32 { end.descriptor }

    /// Wakes all threads that wait for this device.
    func finish() { end.raise() }

    /// Calls a handler once when the device has gone, as long as the result is kept.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> Cancellation.Registration {
        end.whenRaised(handler)
    }
}

/// Counts library calls that were given up but still run. Each takes a thread, so a device that never answers
/// must not collect any number of them. Each device has its own count, so one that hangs does not hinder the
/// others.
final class AbandonedCalls: Sendable {
    /// The count of calls that do not concern a device.
    static let aboutNone = AbandonedCalls()
    private static let maximum = 32

    private let count = Mutex(0)

    /// Throws `.busy` when too many calls are stuck.
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
