import CSystemShims
import Glibc
import Synchronization

/// A switch that ends device operations from another thread.
///
/// Hand the same one to any number of operations; each ends with `.cancelled`, also when it is blocked in the middle
/// of a request. Cancelling is final. Any thread may use it.
public final class Cancellation: Sendable {
    private let signal = Signal()

    /// Makes a switch that is not yet set.
    public init() {}

    /// Ends every operation that was given this switch, now and later. Calling it again does nothing.
    ///
    /// It takes no lock that a device operation holds, but is not safe to call in a signal handler.
    public func cancel() { signal.raise() }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { signal.isRaised }

    /// Becomes readable when cancelled, for `poll`; -1 when the process is out of descriptors.
    var descriptor: Int32 { signal.descriptor }
}

/// A flag that threads can wait for with `poll`: once raised it stays raised and its descriptor stays readable.
final class Signal: Sendable {
    private struct State {
        var raised = false
        var descriptor: Int32 = -1
    }

    private let state = Mutex(State())

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Raises the flag.
    func raise() {
        state.withLock { state in
            guard !state.raised else { return }
            state.raised = true
            if state.descriptor >= 0 { Signal.post(state.descriptor) }
        }
    }

    var isRaised: Bool { state.withLock { $0.raised } }

    /// Made when first asked for, since most signals are never waited for.
    var descriptor: Int32 {
        state.withLock { state in
            if state.descriptor < 0 {
                state.descriptor = shim_eventfd()
                if state.raised, state.descriptor >= 0 { Signal.post(state.descriptor) }
            }
            return state.descriptor
        }
    }

    private static func post(_ descriptor: Int32) {
        var one: UInt64 = 1
        // An eventfd accepts eight bytes unless its counter is full, and this one is written once.
        _ = write(descriptor, &one, 8)
    }
}
