import Synchronization

/// A flag that stays raised. Threads can read it, have a handler called, or wait for it with `poll`. Any thread.
package final class Signal: Sendable {
    private struct State {
        var isRaised = false
        var wakeUp: WakeUpDescriptor?
        var handlers = HandlerTable()
    }

    private let state = Mutex(State())

    /// Creates a flag that is not raised.
    package init() {}

    /// Raises the flag. Calling it again does nothing.
    package func raise() {
        let handlers = state.withLock { state in
            state.isRaised = true
            state.wakeUp?.signal()
            defer { state.handlers.removeAll() }
            return state.handlers.all
        }
        for handler in handlers { handler() }
    }

    /// Whether it is raised.
    package var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Readable for `poll` once raised; -1 if the process is out of descriptors.
    ///
    /// The descriptor is created on first use, because few signals are ever polled.
    package var descriptor: Int32 {
        state.withLock { state in
            if let wakeUp = state.wakeUp, wakeUp.descriptor >= 0 { return wakeUp.descriptor }
            let wakeUp = WakeUpDescriptor()
            if state.isRaised { wakeUp.signal() }
            state.wakeUp = wakeUp
            return wakeUp.descriptor
        }
    }

    /// Calls `handler` once when the flag is raised, on the raising thread, or at once if it is raised already.
    ///
    /// The handler is removed when the result is released, but may still be running then.
    package func whenRaised(_ handler: @escaping HandlerTable.Handler) -> Registration {
        let number = state.withLock { state in state.isRaised ? nil : state.handlers.add(handler) }
        if number == nil { handler() }
        return Registration(self, number)
    }

    /// Keeps a handler registered while it lives.
    package final class Registration: Sendable {
        private let end: HandlerTable.Handler

        fileprivate init(_ signal: Signal, _ number: Int?) {
            end = { [weak signal] in
                guard let number else { return }
                signal?.state.withLock { $0.handlers.remove(number) }
            }
        }

        deinit { end() }
    }
}
