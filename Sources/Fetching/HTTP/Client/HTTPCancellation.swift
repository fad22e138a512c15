import Synchronization

/// A switch that ends requests from any thread, once and for good.
public final class HTTPCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())
    private let link: Registration?

    /// Its own switch.
    public init() { link = nil }

    /// A switch that is also thrown when `parent` is.
    public init(parent: HTTPCancellation) {
        let child = Child()
        link = parent.whenCancelled { child.cancel() }
        child.attach(self)
    }

    /// Ends what runs and what will be asked for; further calls change nothing.
    public func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls `handler` once when cancelled, at once if that has happened, on the cancelling thread, as long as the result
    /// is kept. The handler may still be running when the result is gone.
    func whenCancelled(_ handler: @escaping @Sendable () -> Void) -> Registration {
        let number: UInt64? = state.withLock { state in
            if state.isCancelled { return nil }
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
        guard let number else {
            handler()
            return Registration {}
        }
        return Registration { [weak self] in
            self?.state.withLock { _ = $0.handlers.removeValue(forKey: number) }
        }
    }

    /// A weak reference that can be handed to the parent before the child is there.
    private final class Child: Sendable {
        private struct State {
            weak var child: HTTPCancellation?
            var isCancelled = false
        }

        private let state = Mutex(State())

        func attach(_ child: HTTPCancellation) {
            let isLate = state.withLock { state in
                state.child = child
                return state.isCancelled
            }
            if isLate { child.cancel() }
        }

        func cancel() {
            let child = state.withLock { state in
                state.isCancelled = true
                return state.child
            }
            child?.cancel()
        }
    }

    /// Keeps a handler registered while it lives.
    final class Registration: Sendable {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
