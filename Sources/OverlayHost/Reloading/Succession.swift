import Synchronization

/// Ends the methods that run, because a new build of their overlay is there to take over. What begins later runs. Any thread.
///
/// A method that asks whether it is cancelled hears that it is; one that computes for a second without asking anything is ended
/// with its worker. In the host's own process nothing can be ended.
package final class Succession: Sendable {
    private struct Member {
        weak var core: InstanceCore?
    }

    private let members = Mutex<[Member]>([])
    private let chosen = Mutex<(@Sendable (LoadedOverlay) -> Void)?>(nil)

    /// Nothing runs yet.
    package init() {}

    /// Calls `chosen` with the overlay of each session before anything of it runs; on the session's thread.
    package func whenChosen(_ chosen: @escaping @Sendable (LoadedOverlay) -> Void) {
        self.chosen.withLock { $0 = chosen }
    }

    /// Ends what runs now.
    package func takeOver() {
        for member in members.withLock({ $0 }) { member.core?.supersede() }
    }

    func choose(_ overlay: LoadedOverlay) { chosen.withLock { $0 }?(overlay) }

    func add(_ core: InstanceCore) {
        members.withLock { members in
            members.removeAll { $0.core == nil }
            members.append(Member(core: core))
        }
    }
}
