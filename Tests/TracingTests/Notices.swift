import Synchronization

/// What somebody was told, in order.
final class Notices: Sendable {
    private let stored = Mutex<[String]>([])
    var all: [String] { stored.withLock { $0 } }
    func add(_ text: String) { stored.withLock { $0.append(text) } }
}
