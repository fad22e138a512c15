import CLibimobiledevice
import Glibc
import Synchronization

/// The only usbmuxd listener of the process. It passes events to subscribers and ends the lifetimes of detached
/// devices.
///
/// It is called by libusbmuxd's own thread. That thread looks for the daemon every second, so it notices a daemon
/// that starts late or restarts. If the daemon is lost, all devices are.
final class DeviceEventHub: Sendable {
    static let shared = DeviceEventHub()

    private struct State {
        var present: [UInt32: MuxDirectory.Entry] = [:]
        var lives: [UInt32: DeviceLifetime] = [:]
        var subscribers: [ObjectIdentifier: Weak] = [:]
        var isListening = false
    }

    private struct Weak {
        weak var subscription: DeviceEventSubscription?
    }

    private let state = Mutex(State())

    /// Starts listening to usbmuxd at the first call; never blocks.
    private func listen() {
        TransportRuntime.prepare()
        let isFirst = state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        guard isFirst else { return }
        var context: usbmuxd_subscription_context_t?
        // The subscription lasts as long as the process. Its thread belongs to libusbmuxd.
        let result = usbmuxd_events_subscribe(
            &context,
            { event, _ in
                guard let event else { return }
                DeviceEventHub.shared.handle(
                    Int(event.pointee.event), MuxDirectory.Entry(event.pointee.device))
            }, nil)
        if result != 0 { state.withLock { $0.isListening = false } }
    }

    /// The lifetime of the device that has this number in usbmuxd.
    func life(of entry: MuxDirectory.Entry) -> DeviceLifetime {
        listen()
        return state.withLock { state in
            if let life = state.lives[entry.handle], life.udid == entry.udid, !life.isGone { return life }
            let life = DeviceLifetime(udid: entry.udid, handle: entry.handle)
            state.lives[entry.handle] = life
            return life
        }
    }

    /// Adds a listener. It first receives the devices that are attached.
    func add(_ subscription: DeviceEventSubscription) {
        listen()
        state.withLock { state in
            for entry in state.present.values.sorted(by: { $0.handle < $1.handle }) {
                subscription.deliver(DeviceEvent(kind: .attached, udid: entry.udid, link: entry.link))
            }
            state.subscribers[ObjectIdentifier(subscription)] = Weak(subscription: subscription)
        }
    }

    func remove(_ identifier: ObjectIdentifier) {
        state.withLock { $0.subscribers[identifier] = nil }
    }

    private func handle(_ kind: Int, _ entry: MuxDirectory.Entry) {
        let (ended, event): (DeviceLifetime?, DeviceEvent?) = state.withLock { state in
            var ended: DeviceLifetime?
            let news: DeviceEvent.Kind
            switch kind {
            case Int(UE_DEVICE_ADD.rawValue):
                // A restarted daemon may reuse a number.
                if let life = state.lives[entry.handle], life.udid != entry.udid {
                    ended = state.lives.removeValue(forKey: entry.handle)
                }
                state.present[entry.handle] = entry
                news = .attached
            case Int(UE_DEVICE_REMOVE.rawValue):
                ended = state.lives.removeValue(forKey: entry.handle)
                state.present[entry.handle] = nil
                news = .detached
            case Int(UE_DEVICE_PAIRED.rawValue):
                news = .paired
            default:
                return (nil, nil)
            }
            return (ended, DeviceEvent(kind: news, udid: entry.udid, link: entry.link))
        }
        ended?.finish()
        guard let event else { return }
        let subscribers = state.withLock { $0.subscribers.values.compactMap(\.subscription) }
        for subscriber in subscribers { subscriber.deliver(event) }
    }
}
