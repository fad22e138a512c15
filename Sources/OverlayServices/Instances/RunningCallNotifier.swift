import DeviceTransport
import Dispatch

/// Reports which call is still running after a cancel, and which later call takes long. Reports on a thread of its own.
///
/// A cancel must not wait for the receiver of the report: the receiver may be writing to a stopped terminal, or need a lock that
/// the cancelling thread holds.
package final class RunningCallNotifier: Sendable {
    /// A serial queue, so that `end` waits for a report in progress.
    private let telling: DispatchQueue
    private let switchedOff: Switch
    private let cancellation: Cancellation
    private let call: @Sendable () -> String?
    private let tell: @Sendable (String) -> Void
    private let registration: Cancellation.Registration

    /// A call that begins after a cancel, such as `shutdown`, is reported only after this time.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Unchecked: used in blocks of the queue only.
    private final class Switch: @unchecked Sendable {
        var isOff = false
    }

    /// - Parameters:
    ///   - call: the running call, asked on the cancelling thread; must not take a lock that is held during a callback.
    ///   - tell: receives the report, once for each call.
    package init(
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
    package func begins(_ name: String) {
        guard cancellation.isCancelled else { return }
        telling.asyncAfter(deadline: .now() + Self.patience) { [switchedOff, call, tell] in
            if !switchedOff.isOff, call() == name { tell(name) }
        }
    }

    /// Ends all reports: waits for one in progress, and allows none after its return. Must not be called from `tell`.
    package func end() { telling.sync { switchedOff.isOff = true } }
}

/// A call of an overlay that still runs when its command is cancelled.
public struct UnfinishedCall: Sendable {
    /// The overlay's id.
    public var overlay: String
    /// The function that runs, such as `books`.
    public var method: String
    /// How long it may go on; nil: nothing ends it, because it runs in this process.
    public var limit: Duration?

    /// A call that still runs.
    package init(overlay: String, method: String, limit: Duration?) {
        (self.overlay, self.method, self.limit) = (overlay, method, limit)
    }
}
