import Platform
import Synchronization

/// Distributes a device's notifications to all connections that observe them.
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

/// The notifications waiting to be sent over one connection.
final class NotificationInbox: Sendable {
    /// The limit for the names that one connection may observe and for waiting notifications. The oldest are dropped.
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

    /// A descriptor that is readable while a notification waits.
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

    /// Returns and removes all waiting notifications.
    func take() -> [String] {
        state.withLock { state in
            arrival.reset()
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
