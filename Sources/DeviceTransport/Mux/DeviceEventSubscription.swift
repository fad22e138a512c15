import Glibc
import Platform
import Synchronization

/// A subscription to attached and detached devices. It continues if usbmuxd starts late or restarts.
///
/// Any thread may use it; each event goes to one of the waiting threads. Releasing the object ends the subscription.
public final class DeviceEventSubscription: Sendable {
    /// The number of events that are kept until they are requested. Beyond it, the oldest are dropped.
    private static let capacity = 4096

    private let waiting = Mutex<[DeviceEvent]>([])
    private let arrival = WakeUpDescriptor()

    init() {}

    deinit { DeviceEventHub.shared.remove(ObjectIdentifier(self)) }

    /// Waits for the next event.
    ///
    /// Throws `.timedOut` at the context's deadline, or `.cancelled`. There is no other time limit.
    public func next(_ context: OperationContext) throws(TransportError) -> DeviceEvent {
        guard arrival.descriptor >= 0 else { throw DescriptorGuard.error }
        while true {
            let event = waiting.withLock { events -> DeviceEvent? in
                if events.isEmpty { return nil }
                let event = events.removeFirst()
                if events.isEmpty { arrival.reset() }
                return event
            }
            if let event { return event }
            var descriptors = [pollfd(fd: arrival.descriptor, events: Int16(POLLIN), revents: 0)]
            _ = try Waiting.wait(&descriptors, context, life: nil)
        }
    }

    func deliver(_ event: DeviceEvent) {
        waiting.withLock { events in
            if events.count >= Self.capacity { events.removeFirst() }
            events.append(event)
            arrival.signal()
        }
    }
}

/// A device was attached, detached or paired.
public struct DeviceEvent: Sendable, Hashable {
    /// The kind of an event.
    public enum Kind: String, Sendable, Hashable {
        /// The device was attached. Also sent for each device that was attached when the subscription began.
        case attached
        /// The device was detached. Also sent for each device when usbmuxd stops.
        case detached
        /// The device was paired with the host.
        case paired
    }

    /// The kind of the event.
    public let kind: Kind
    /// The UDID of the device.
    public let udid: String
    /// The link that was added or removed.
    public let link: DeviceLink

    /// Creates an event.
    public init(kind: Kind, udid: String, link: DeviceLink) {
        self.kind = kind
        self.udid = udid
        self.link = link
    }
}
