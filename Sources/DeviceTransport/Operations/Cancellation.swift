import Platform
import Synchronization

/// A switch that ends device operations from another thread.
///
/// Any number of operations may share one; each ends with `.cancelled`, even in the middle of a request.
/// Cancelling is final. Any thread may use it.
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

    /// Calls `handler` once when cancelled, on the cancelling thread, or at once if that has happened already.
    ///
    /// The handler is forgotten when the result is released, but may still be running then.
    package func whenCancelled(_ handler: @escaping @Sendable () -> Void) -> Registration {
        Registration(signal, handler)
    }

    /// A handler that waits for a cancel.
    package final class Registration: Sendable {
        private let signal: Signal
        private let number: Int

        init(_ signal: Signal, _ handler: @escaping @Sendable () -> Void) {
            self.signal = signal
            number = signal.add(handler)
        }

        deinit { signal.remove(number) }
    }

    /// Becomes readable when cancelled, for `poll`; -1 when the process is out of descriptors.
    var descriptor: Int32 { signal.descriptor }
}

/// A flag that threads can wait for with `poll`: once raised it stays raised and its descriptor stays readable.
final class Signal: Sendable {
    private struct State {
        var raised = false
        var wakeUp: WakeUpDescriptor?
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Raises the flag.
    func raise() {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.raised else { return [] }
            state.raised = true
            state.wakeUp?.signal()
            defer { state.handlers = [:] }
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    /// Keeps a handler until the flag is raised. If it is raised already, calls the handler at once.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state -> Int? in
            guard !state.raised else { return nil }
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
        if number == nil { handler() }
        return number ?? 0
    }

    func remove(_ number: Int) { state.withLock { $0.handlers[number] = nil } }

    var isRaised: Bool { state.withLock { $0.raised } }

    /// Made at the first use, since few signals are ever waited for.
    var descriptor: Int32 {
        state.withLock { state in
            if let wakeUp = state.wakeUp, wakeUp.descriptor >= 0 { return wakeUp.descriptor }
            let wakeUp = WakeUpDescriptor()
            if state.raised { wakeUp.signal() }
            state.wakeUp = wakeUp
            return wakeUp.descriptor
        }
    }
}
