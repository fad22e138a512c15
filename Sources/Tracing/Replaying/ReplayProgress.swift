import Synchronization

/// State of a replay, and a request to stop it. Any thread.
package final class ReplayProgress: Sendable {
    private struct State {
        var method: String?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Nothing has begun.
    package init() {}

    /// The method that runs; nil between two.
    package var method: String? { state.withLock { $0.method } }

    /// Whether the replay is to end.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the replay before its next call, in either direction.
    package func stop() { state.withLock { $0.isStopped = true } }

    func runs(_ method: String?) { state.withLock { $0.method = method } }
}
