import Synchronization

/// The lifetime of a device at usbmuxd, from attach to detach; a device that is plugged in again begins another.
final class DeviceLifetime: Sendable {
    /// The calls about this device that were given up and go on.
    let abandonedCalls = AbandonedCalls()
    /// The device.
    let udid: String
    /// The number usbmuxd gave this stay.
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

    /// Wakes everybody who waits for this device.
    func finish() { end.raise() }

    /// Calls a handler once when the device has gone, as long as the result is kept.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> Cancellation.Registration {
        Cancellation.Registration(end, handler)
    }
}

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
                .busy, "Too many calls to the device are stuck.",
                hint: "Reconnect the device, or restart usbmuxd.")
        }
    }

    func begin() { count.withLock { $0 += 1 } }

    func end() { count.withLock { $0 -= 1 } }
}
