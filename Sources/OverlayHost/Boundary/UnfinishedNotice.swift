import DeviceTransport
import Dispatch

/// Tells which call still runs when it is cancelled: on a thread of its own.
///
/// Whoever cancels must not wait for whoever hears of it, who may be writing to a terminal that is stopped; and may hold the very
/// lock that hearing takes, when it cancels within a callback.
final class UnfinishedNotice: Sendable {
    /// One after the other, so that `end` comes after what is being told.
    private let telling: DispatchQueue
    private let switchedOff: Switch
    private let registration: Cancellation.Registration

    /// Unchecked: used in blocks of the queue only.
    private final class Switch: @unchecked Sendable {
        var isOff = false
    }

    /// - Parameters:
    ///   - call: what runs when `cancellation` is set, asked on the cancelling thread; must take no lock under which
    ///     anybody is called.
    ///   - tell: hears of it, at most once.
    init(
        _ cancellation: Cancellation, call: @escaping @Sendable () -> String?,
        tell: @escaping @Sendable (String) -> Void
    ) {
        let (telling, switchedOff) = (DispatchQueue(label: "overlayhost.unfinished"), Switch())
        (self.telling, self.switchedOff) = (telling, switchedOff)
        registration = cancellation.whenCancelled {
            guard let call = call() else { return }
            telling.async { if !switchedOff.isOff { tell(call) } }
        }
    }

    /// Nothing is told any more once this returns. Waits for what is being told; must not be called by who hears it.
    func end() { telling.sync { switchedOff.isOff = true } }
}
