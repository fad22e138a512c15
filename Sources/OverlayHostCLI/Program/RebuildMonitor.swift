import DeviceTransport
import Dispatch
import Foundation
import OverlayHost
import Synchronization

/// Waits for a new build of an overlay while a run goes on, says so once, and ends the run if it can be ended.
final class RebuildMonitor: Sendable {
    /// Unchecked: used by the monitor's thread during a run, and by the caller between runs.
    private struct Watch: @unchecked Sendable {
        let watch: OverlayWatch
    }

    private struct State {
        var watch: Watch?
        /// Set while a run goes on: ends the waiting.
        var end: Cancellation?
        /// Ends the run.
        var attempt: Cancellation?
        /// Signalled by the thread; nil while there is none.
        var hasEnded: DispatchSemaphore?
        var hasEndedRun = false
    }

    private let state = Mutex(State())
    /// Ends the run's methods.
    private let hotReload: HotReload?
    private let found: @Sendable () -> Void

    /// - Parameters:
    ///   - hotReload: ends what a run is at; nil where runs go on to their end, because nothing can end their methods.
    ///   - found: hears of a build that is whole, on the monitor's thread.
    init(ending hotReload: HotReload?, found: @escaping @Sendable () -> Void) {
        self.hotReload = hotReload
        self.found = found
    }

    /// What is waited with. Only between runs.
    var watch: OverlayWatch? {
        get { state.withLock { $0.watch }?.watch }
        set {
            let new = newValue.map { Watch(watch: $0) }
            state.withLock { $0.watch = new }
        }
    }

    /// Whether a build was found during this run, or the one before, and has ended it.
    var hasEndedRun: Bool { state.withLock { $0.hasEndedRun } }

    /// A run begins; what is cancelled when a build is found that ends it.
    func begin() -> Cancellation {
        let attempt = Cancellation()
        state.withLock { state in
            (state.end, state.attempt) = (Cancellation(), attempt)
            state.hasEndedRun = false
        }
        follow()
        return attempt
    }

    /// The run uses this overlay.
    func follow(_ overlay: LoadedOverlay) {
        state.withLock { state in
            guard state.hasEnded == nil else { return }
            state.watch = Watch(watch: OverlayWatch(overlay))
        }
        follow()
    }

    /// The run is over; nothing of what comes after it is ended by a build that came before.
    func end() {
        let (end, hasEnded) = state.withLock { state in
            defer { (state.end, state.hasEnded) = (nil, nil) }
            return (state.end, state.hasEnded)
        }
        end?.cancel()
        hasEnded?.wait()
        // What the build has ended is over.
        hotReload?.begin()
    }

    private func follow() {
        let hasEnded = DispatchSemaphore(value: 0)
        let work = state.withLock { state -> (Watch, Cancellation)? in
            guard state.hasEnded == nil, let watch = state.watch, let end = state.end else { return nil }
            state.hasEnded = hasEnded
            return (watch, end)
        }
        guard let (watch, end) = work else { return }
        Thread.detachNewThread { [self] in
            if watch.watch.waitForWhole(end) {
                let attempt = state.withLock { state in
                    state.hasEndedRun = hotReload != nil
                    return state.attempt
                }
                found()
                if let hotReload {
                    hotReload.takeOver()
                    attempt?.cancel()
                }
            }
            hasEnded.signal()
        }
    }
}
