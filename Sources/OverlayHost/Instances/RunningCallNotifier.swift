import DeviceTransport
import Dispatch

/// Tells which call still runs when it is cancelled, and which one that begins later takes long: on a thread of its own.
///
/// The cancelling thread must not wait for the listener, which may be writing to a terminal that is stopped. It may also hold
/// the lock that the listener takes, when it cancels within a callback.
final class RunningCallNotifier: Sendable {
    /// One after the other, so that `end` comes after what is being told.
    private let telling: DispatchQueue
    private let switchedOff: Switch
    private let cancellation: Cancellation
    private let call: @Sendable () -> String?
    private let tell: @Sendable (String) -> Void
    private let registration: Cancellation.Registration

    /// A call that begins after a cancel, such as `shutdown`, is over soon. If it is not, the listener hears of it.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Unchecked: used in blocks of the queue only.
    private final class Switch: @unchecked Sendable {
        var isOff = false
    }

    /// - Parameters:
    ///   - call: what runs when `cancellation` is set, asked on the cancelling thread; must take no lock under which
    ///     anybody is called.
    ///   - tell: hears of it, once for each call.
    init(
        _ cancellation: Cancellation, call: @escaping @Sendable () -> String?,
        tell: @escaping @Sendable (String) -> Void
    ) {
        let (telling, switchedOff) = (DispatchQueue(label: "overlayhost.unfinished"), Switch())
        (self.telling, self.switchedOff) = (telling, switchedOff)
        (self.cancellation, self.call, self.tell) = (cancellation, call, tell)
        registration = cancellation.whenCancelled {
            guard let call = call() else { return }
            telling.async { if !switchedOff.isOff { tell(call) } }
        }
    }

    /// A call begins.
    func begins(_ name: String) {
        guard cancellation.isCancelled else { return }
        telling.asyncAfter(deadline: .now() + Self.patience) { [switchedOff, call, tell] in
            if !switchedOff.isOff, call() == name { tell(name) }
        }
    }

    /// The listener hears nothing once this returns. Waits for a notice that is being delivered; the listener must not call it.
    func end() { telling.sync { switchedOff.isOff = true } }
}
