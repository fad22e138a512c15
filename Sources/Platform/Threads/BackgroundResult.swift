/// A value computed on a background thread while the caller does something else. Any thread.
package final class BackgroundResult<Value: Sendable, Failure: Error>: Sendable {
    private enum State {
        case working
        case done(Result<Value, Failure>)
        /// The value has been taken or discarded.
        case over
    }

    private let state = Monitor(State.working)
    private let discard: @Sendable (Value) -> Void

    /// Starts the computation.
    ///
    /// - Parameters:
    ///   - work: computes the value on the background thread.
    ///   - accepted: called with the value if it is still wanted; must be quick, because `take` and `giveUp` wait for
    ///     it.
    ///   - discard: called with a value that is no longer wanted, on any thread.
    package init(
        _ work: @escaping @Sendable () -> Result<Value, Failure>,
        accepted: @escaping @Sendable (Value) -> Void = { _ in },
        discard: @escaping @Sendable (Value) -> Void
    ) {
        self.discard = discard
        let isRunning = SystemThread.detached { [state] in
            let result = work()
            let isWanted = state.change { state in
                guard case .working = state else { return false }
                if case .success(let value) = result { accepted(value) }
                state = .done(result)
                return true
            }
            if !isWanted, case .success(let value) = result { discard(value) }
        }
        if !isRunning { state.change { $0 = .over } }
    }

    /// Waits for the result; nil if the thread could not start or the result was given up. Call once.
    package func take() throws(Failure) -> Value? {
        let result = state.wait { state -> Result<Value, Failure>?? in
            switch state {
            case .working: return nil
            case .over: return .some(nil)
            case .done(let result):
                state = .over
                return result
            }
        }
        return try result?.get()
    }

    /// Discards the value unless it has been taken. Does not wait for the thread.
    package func giveUp() {
        let unused = state.change { state -> Value? in
            defer { state = .over }
            if case .done(.success(let value)) = state { return value }
            return nil
        }
        if let unused { discard(unused) }
    }
}
