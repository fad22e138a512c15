import Platform

/// The state that is shared between a simulated Marvin's own thread and the threads that use it.
final class MarvinState: Sendable {
    private enum Life {
        case idle
        case starting
        case running
        case stopping
    }

    private struct State {
        var life = Life.idle
        var watch: FolderWatch?
        var startError: (any Error)?
        var behaviour: MarvinBehaviour
        /// Counts how often the behaviour was set, so that the app's thread can report which behaviour it has
        /// applied.
        var generation = 0
        var seenGeneration = 0
        var troubles: [String] = []
    }

    private let state: Monitor<State>

    init(_ behaviour: MarvinBehaviour) {
        state = Monitor(State(behaviour: behaviour))
    }

    var behaviour: MarvinBehaviour { state.change { $0.behaviour } }
    var troubles: [String] { state.change { $0.troubles } }
    var isStopping: Bool { state.change { $0.life == .stopping } }

    func setBehaviour(_ behaviour: MarvinBehaviour) {
        let target = state.change { state in
            state.behaviour = behaviour
            state.generation += 1
            state.watch?.wake()
            return state.generation
        }
        state.wait { $0.life != .running || $0.seenGeneration >= target ? () : nil }
    }

    func stop() {
        let isRunning = state.wait { state -> Bool? in
            guard state.life != .starting else { return nil }
            guard state.life != .idle else { return false }
            state.life = .stopping
            state.watch?.wake()
            return true
        }
        if isRunning { state.wait { $0.life == .idle ? () : nil } }
    }

    /// Marks the app as started; returns false if it is already running.
    func begin() -> Bool {
        state.wait { state -> Bool? in
            guard state.life != .stopping else { return nil }
            guard state.life == .idle else { return false }
            state.life = .starting
            state.startError = nil
            return true
        }
    }

    func waitUntilStarted() throws {
        let error = state.wait { state -> (any Error)?? in
            state.life == .starting ? nil : .some(state.startError)
        }
        if let error { throw error }
    }

    // MARK: For the app's thread

    /// Records that the app is online, so that the call that started it may return.
    func running(_ watch: FolderWatch) {
        state.change { state in
            state.watch = watch
            if state.life == .starting { state.life = .running }
        }
    }

    func end(_ error: (any Error)?) {
        state.change { state in
            state.startError = error
            state.watch = nil
            state.life = .idle
        }
    }

    /// The behaviour and its generation. Pass the generation to `acknowledge` when the behaviour is in effect.
    func latest() -> (MarvinBehaviour, generation: Int) {
        state.change { ($0.behaviour, $0.generation) }
    }

    func acknowledge(_ generation: Int) {
        state.change { $0.seenGeneration = max($0.seenGeneration, generation) }
    }

    /// Applies a change by the app itself, which does not count as a new behaviour.
    func change(_ body: (inout MarvinBehaviour) -> Void) {
        state.change { body(&$0.behaviour) }
    }

    func record(_ trouble: any Error) {
        state.change { state in
            // Limits memory use if the folder stays unwritable.
            if state.troubles.count < 100 { state.troubles.append("\(trouble)") }
        }
    }
}
