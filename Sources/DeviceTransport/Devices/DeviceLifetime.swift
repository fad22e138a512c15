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
