import OverlayCalls
import Platform

/// Keeps one worker ready before it is known which overlay it will load, so that its start takes no time later. Any
/// thread.
///
/// An unused worker ends with the process, or after it was idle for some time.
///
/// ```swift
/// let paths = HostPaths.current()
/// let reserve = SpareWorker()
/// var options = WorkerOptions(program: paths.workerProgram)
/// options.reserve = reserve
/// print(OverlayDiscovery(paths: paths, isolation: .worker(options)).discover().overlays.count)
/// reserve.dismiss()
/// ```
public final class SpareWorker: Sendable {
    private enum State {
        case empty
        case starting
        case ready(WorkerProcess)
    }

    private let state = Monitor(State.empty)

    /// Creates a reserve without a worker.
    public init() {}

    /// Starts a worker in the background, unless there already is one. Does nothing if lines of output are reported
    /// with the name of their overlay, which is not known yet.
    ///
    /// - Parameters:
    ///   - temporary: the folder in which the worker gets its own folder.
    ///   - options: the options of the overlays that may use the worker.
    func fill(temporary: String, options: WorkerOptions) {
        guard options.words == nil else { return }
        let isWanted = state.change { state in
            guard case .empty = state else { return false }
            state = .starting
            return true
        }
        guard isWanted else { return }
        let isRunning = SystemThread.detached { [state] in
            // A failure is not reported: the overlay that needs a worker starts another one, and reports its failure.
            let started = Result { () throws(WorkerFailure) in
                try WorkerProcess(library: nil, temporary: temporary, options: options) { "" }
            }
            state.change { state in
                state = if case .success(let process) = started { .ready(process) } else { .empty }
            }
        }
        if !isRunning { state.change { $0 = .empty } }
    }

    /// The worker, after it has started; nil if none is running.
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

    /// Ends the unused worker.
    public func dismiss() { take()?.hangUp() }
}
