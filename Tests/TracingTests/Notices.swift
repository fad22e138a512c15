import Synchronization

/// Messages to the user, in order.
final class Notices: Sendable {
    private let stored = Mutex<[String]>([])
    var all: [String] { stored.withLock { $0 } }
    func add(_ text: String) { stored.withLock { $0.append(text) } }
}
