import Dispatch
import OverlayCalls
import OverlayHost
import Synchronization

/// Observes the behaviour of the workers of one check outside their calls.
final class WorkerWatch: WorkerObserver {
    private struct State {
        var running: Set<Int32> = []
        var latest: Int32 = -1
        var situation = "loading"
        /// The number of breaches that made a running method fail.
        var breaches = 0
        /// The watch of the instance on trial, and the number of earlier breaches.
        var trial: (watch: BoundaryWatch, breaches: Int)?
    }

    private let state = Mutex(State())
    private let observations: ObservationLog
    private let memory: UInt64
    private let change = DispatchSemaphore(value: 0)

    init(_ observations: ObservationLog, memory: UInt64) {
        self.observations = observations
        self.memory = memory
    }

    /// Records the present activity.
    func begin(_ situation: String) { state.withLock { $0.situation = situation } }

    /// Records that a trial begins.
    func begin(_ watch: BoundaryWatch) { state.withLock { $0.trial = (watch, $0.breaches) } }

    /// Whether the overlay has not broken a rule in the current trial, so that its worker can serve the next one.
    var isSound: Bool {
        state.withLock { state in
            guard let trial = state.trial else { return false }
            return state.breaches == trial.breaches && !trial.watch.isTainted
        }
    }

    /// The process id of the latest worker.
    var latest: Int32 { state.withLock { $0.latest } }

    /// Waits until all workers have ended, so that nothing they print is missed. Their hosts terminate any that do
    /// not end.
    func waitForEnd() {
        while state.withLock({ !$0.running.isEmpty }) {
            guard change.wait(timeout: .now() + .seconds(30)) == .success else { return }
        }
    }

    func started(_ pid: Int32) {
        state.withLock { state in
            state.running.insert(pid)
            state.latest = pid
        }
    }

    func ended(_ pid: Int32) {
        state.withLock { _ = $0.running.remove(pid) }
        change.signal()
    }

    func broke(_ breach: ContractBreach) {
        if breach.kind != .output { state.withLock { $0.breaches += 1 } }
        observations.find(.broken(breach, in: ""), breach.message, in: situation)
    }

    func failed(_ failure: WorkerFailure) {
        let (rule, outcome) = ConformanceRule.ended(failure.end, in: failure.method, memory: memory)
        observations.find(rule, "The overlay \(failure.clause), in destroy.", in: situation, outcome)
    }

    private var situation: String { state.withLock { $0.situation } }
}
