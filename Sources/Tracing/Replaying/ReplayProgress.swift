import Synchronization

/// The state of a replay, with which it can be stopped. Any thread.
package final class ReplayProgress: Sendable {
    private struct State {
        var method: String?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// The state before the beginning.
    package init() {}

    /// The running method; nil between two methods.
    package var method: String? { state.withLock { $0.method } }

    /// Whether the replay should end.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the replay before its next call, in either direction.
    package func stop() { state.withLock { $0.isStopped = true } }

    func runs(_ method: String?) { state.withLock { $0.method = method } }
}
