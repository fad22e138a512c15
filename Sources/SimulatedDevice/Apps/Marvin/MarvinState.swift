import Foundation

/// What the threads that use a simulated Marvin and the one it runs on share.
///
/// `@unchecked Sendable`: every stored property is protected by `condition`.
final class MarvinState: @unchecked Sendable {
    private enum Life {
        case idle
        case starting
        case running
        case stopping
    }

    private let condition = NSCondition()
    private var life = Life.idle
    private var watch: FolderWatch?
    private var startError: (any Error)?
    private var current: MarvinBehaviour
    /// Counts the behaviours that were set, so that the app's thread can say which one it has seen.
    private var generation = 0
    private var seenGeneration = 0
    private var recordedTroubles: [String] = []

    init(_ behaviour: MarvinBehaviour) {
        current = behaviour
    }

    private func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        condition.lock()
        defer { condition.unlock() }
        return try body()
    }

    var behaviour: MarvinBehaviour { locked { current } }
    var troubles: [String] { locked { recordedTroubles } }
    var isStopping: Bool { locked { life == .stopping } }

    func setBehaviour(_ behaviour: MarvinBehaviour) {
        locked {
            current = behaviour
            generation += 1
            let target = generation
            watch?.wake()
            while life == .running, seenGeneration < target { condition.wait() }
        }
    }

    func stop() {
        locked {
            while life == .starting { condition.wait() }
            guard life != .idle else { return }
            life = .stopping
            watch?.wake()
            while life != .idle { condition.wait() }
        }
    }

    /// False when the app runs already.
    func begin() -> Bool {
        locked {
            while life == .stopping { condition.wait() }
            guard life == .idle else { return false }
            life = .starting
            startError = nil
            return true
        }
    }

    func waitUntilStarted() throws {
        try locked {
            while life == .starting { condition.wait() }
            if let startError { throw startError }
        }
    }

    // MARK: For the app's thread

    /// The app is online; the call that started it may return.
    func running(_ watch: FolderWatch) {
        locked {
            self.watch = watch
            if life == .starting { life = .running }
            condition.broadcast()
        }
    }

    func end(_ error: (any Error)?) {
        locked {
            startError = error
            watch = nil
            life = .idle
            condition.broadcast()
        }
    }

    /// The behaviour, and its number, which is to be passed to `acknowledge` once it is in effect.
    func latest() -> (MarvinBehaviour, generation: Int) {
        locked { (current, generation) }
    }

    func acknowledge(_ generation: Int) {
        locked {
            guard generation > seenGeneration else { return }
            seenGeneration = generation
            condition.broadcast()
        }
    }

    /// Changes what the app itself changes, without counting as a new behaviour.
    func change(_ body: (inout MarvinBehaviour) -> Void) {
        locked { body(&current) }
    }

    func record(_ trouble: any Error) {
        locked {
            // A folder that stays unwritable must not fill the memory.
            if recordedTroubles.count < 100 { recordedTroubles.append("\(trouble)") }
        }
    }
}
