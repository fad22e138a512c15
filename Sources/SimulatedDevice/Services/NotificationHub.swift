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
