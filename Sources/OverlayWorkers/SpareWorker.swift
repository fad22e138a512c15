import OverlayCalls
import Platform

/// Keeps one worker ready before it is known which overlay it will load, so that its start costs no time once it is. Any thread.
///
/// A worker that is not used ends with the process, or after it was idle for a while.
public final class SpareWorker: Sendable {
    private enum State {
        case empty
        case starting
        case ready(WorkerProcess)
    }

    private let state = Monitor(State.empty)

    /// A reserve without a worker.
    public init() {}

    /// Starts a worker on a thread of its own, unless there is one. Without effect if lines are reported with the name of their overlay,
    /// which is not known yet.
    ///
    /// - Parameters:
    ///   - temporary: the folder in which it gets one of its own.
    ///   - options: those of the overlays that may take it.
    func fill(temporary: String, options: WorkerOptions) {
        guard options.words == nil else { return }
        let isWanted = state.change { state in
            guard case .empty = state else { return false }
            state = .starting
            return true
        }
        guard isWanted else { return }
        let isRunning = SystemThread.detached { [state] in
            // A failure to start one ahead is not reported: the overlay that needs a worker starts another and reports its failure.
            let started = Result { () throws(WorkerFailure) in
                try WorkerProcess(library: nil, temporary: temporary, options: options) { "" }
            }
            state.change { state in
                state = if case .success(let process) = started { .ready(process) } else { .empty }
            }
        }
        if !isRunning { state.change { $0 = .empty } }
    }

    /// The worker, once it has been started; nil if there is none that runs.
    func take() -> WorkerProcess? {
        state.wait { state -> WorkerProcess?? in
            switch state {
            case .starting: return nil
            case .empty: return .some(nil)
            case .ready(let process):
                state = .empty
                return .some(process.isAlive ? process : nil)
            }
        }
    }

    /// Ends the worker that nothing has taken.
    public func dismiss() { take()?.hangUp() }
}
