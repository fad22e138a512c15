import Glibc
import Synchronization

/// An open file descriptor that several threads use, and that is closed only when none is inside a call any more.
///
/// Without this a read could meet another file that was given the same number after a close.
package final class SharedDescriptor: Sendable {
    private struct State {
        let descriptor: Int32
        var users = 0
        var isClosing = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Takes over a descriptor, which is closed with `close()` or with the last reference.
    package init(owning descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { close() }

    /// What `body` does with the descriptor; nil if it was closed before.
    package func use<Value, Failure: Error>(
        _ body: (Int32) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let entered: Int32? = state.withLock { state in
            guard !state.isClosing else { return nil }
            state.users += 1
            return state.descriptor
        }
        guard let entered else { return nil }
        defer { leave() }
        return try body(entered)
    }

    /// Closes the descriptor as soon as nobody uses it. A second call does nothing.
    package func close() {
        finish { $0.isClosing = true }
    }

    private func leave() {
        finish { $0.users -= 1 }
    }

    private func finish(_ change: (inout State) -> Void) {
        let closable: Int32? = state.withLock { state in
            change(&state)
            guard state.isClosing, !state.isClosed, state.users == 0 else { return nil }
            state.isClosed = true
            return state.descriptor
        }
        if let closable { _ = Glibc.close(closable) }
    }
}
