import Synchronization

/// Counts calls from any thread.
final class CallCounter: Sendable {
    private let calls = Mutex(0)
    var total: Int { calls.withLock { $0 } }
    func count() { calls.withLock { $0 += 1 } }
}
