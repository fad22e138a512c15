import DeviceTransport
import Synchronization

/// Hot reload of an overlay: when a new build of it is there, ends what the run does with the old one, and what begins
/// before the next run. Any thread.
///
/// A method that asks whether it is cancelled hears that it is; one that computes for a second without asking anything is ended
/// with its worker. In the host's own process nothing can be ended. `shutdown` and `post_yank_cleanup` do not hear that they are
/// cancelled and may use the device, but are ended like the others when they compute for a second.
package final class HotReload: Sendable {
    private struct Member {
        weak var core: InstanceCore?
    }

    private let members = Mutex<[Member]>([])
    private let chosen = Mutex<(@Sendable (LoadedOverlay) -> Void)?>(nil)
    /// Ends the run that goes on.
    private let run = Mutex(Cancellation())

    /// A first run begins.
    package init() {}

    /// What begins from now on is another run. Only between runs.
    package func begin() { run.withLock { $0 = Cancellation() } }

    /// Whether the run is being ended.
    package var hasTakenOver: Bool { run.withLock { $0 }.isCancelled }

    /// Calls `chosen` with the overlay of each session before anything of it runs; on the session's thread.
    package func whenChosen(_ chosen: @escaping @Sendable (LoadedOverlay) -> Void) {
        self.chosen.withLock { $0 = chosen }
    }

    /// Ends the run.
    package func takeOver() {
        // Outside the lock, because whoever hears it may ask.
        run.withLock { $0 }.cancel()
        for member in members.withLock({ $0 }) { member.core?.cancelSignal.send(.hotReload) }
    }

    /// Calls `handler` when this run is ended, or at once if that has happened already; only as long as the result is kept.
    package func whenTakenOver(_ handler: @escaping @Sendable () -> Void) -> Cancellation.Registration {
        run.withLock { $0 }.whenCancelled(handler)
    }

    func choose(_ overlay: LoadedOverlay) { chosen.withLock { $0 }?(overlay) }

    func add(_ core: InstanceCore) {
        members.withLock { members in
            members.removeAll { $0.core == nil }
            members.append(Member(core: core))
        }
    }
}
