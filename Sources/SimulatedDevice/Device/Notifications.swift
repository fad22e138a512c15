import Platform
import Synchronization

/// Hands a device's notifications to every connection that observes them.
final class NotificationHub: Sendable {
    private let inboxes = Mutex<[NotificationInbox]>([])

    func add(_ inbox: NotificationInbox) {
        inboxes.withLock { $0.append(inbox) }
    }

    func remove(_ inbox: NotificationInbox) {
        inboxes.withLock { $0.removeAll { $0 === inbox } }
    }

    func post(_ name: String) {
        for inbox in inboxes.withLock({ $0 }) { inbox.post(name) }
    }
}

/// The notifications that wait to be sent over one connection.
final class NotificationInbox: Sendable {
    /// How many names one connection may observe, and how many notifications may wait; the oldest make room.
    private static let limit = 1024

    private struct State {
        var observed: Set<String> = []
        var waiting: [String] = []
    }

    private let arrival = WakeUpDescriptor()
    private let state = Mutex(State())

    init() throws {
        guard arrival.descriptor >= 0 else { throw SimulationError.system("eventfd") }
    }

    /// Readable while something waits.
    var descriptor: Int32 { arrival.descriptor }

    func observe(_ name: String) {
        state.withLock { state in
            if state.observed.count < NotificationInbox.limit { state.observed.insert(name) }
        }
    }

    func post(_ name: String) {
        state.withLock { state in
            guard state.observed.contains(name) else { return }
            if state.waiting.count >= NotificationInbox.limit { state.waiting.removeFirst() }
            state.waiting.append(name)
            arrival.signal()
        }
    }

    /// Empties the box.
    func take() -> [String] {
        state.withLock { state in
            arrival.reset()
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
