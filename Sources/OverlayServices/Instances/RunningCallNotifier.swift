import DeviceTransport
import Dispatch
import HostContract

/// Reports the call that is still running after a cancellation, and later calls that take long. Reports on a separate
/// thread.
///
/// A cancellation must not wait for the receiver of the report, which may be writing to a stopped terminal, or may
/// need a lock that the cancelling thread holds.
package final class RunningCallNotifier: Sendable {
    /// A serial queue, so that `end` can wait for a report in progress.
    private let queue: DispatchQueue
    private let switchedOff: Switch
    private let cancellation: Cancellation
    private let call: @Sendable () -> String?
    private let report: @Sendable (String) -> Void
    private let registration: Cancellation.Registration

    /// The time after which a call is reported that begins after a cancellation, such as `shutdown`.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Unchecked: only used in blocks of the queue.
    private final class Switch: @unchecked Sendable {
        var isOff = false
    }

    /// - Parameters:
    ///   - call: returns the running call; called on the cancelling thread. Must not take a lock that is held during
    ///     a callback.
    ///   - report: receives the report, once for each call.
    package init(
        _ cancellation: Cancellation, call: @escaping @Sendable () -> String?,
        report: @escaping @Sendable (String) -> Void
    ) {
        let (queue, switchedOff) = (DispatchQueue(label: "overlayhost.unfinished"), Switch())
        (self.queue, self.switchedOff) = (queue, switchedOff)
        (self.cancellation, self.call, self.report) = (cancellation, call, report)
        registration = cancellation.whenCancelled {
            guard let call = call() else { return }
            queue.async { if !switchedOff.isOff { report(call) } }
        }
    }

    /// Records the beginning of a call.
    package func begins(_ name: String) {
        guard cancellation.isCancelled else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) { [switchedOff, call, report] in
            if !switchedOff.isOff, call() == name { report(name) }
        }
    }

    /// Ends all reports. Waits for a report in progress; none follows after this returns. Do not call this from
    /// `report`.
    package func end() { queue.sync { switchedOff.isOff = true } }
}

/// A call of an overlay that is still running after its command was cancelled.
///
/// ```swift
/// func showWaiting(_ request: inout SessionRequest) {
///     request.unfinished = { call in
///         let limit = call.limit.map { "at most \($0)" } ?? "until it returns"
///         print("Waiting for \(call.overlay) to \(call.purpose), \(limit).")
///     }
/// }
/// ```
public struct UnfinishedCall: Sendable {
    /// The overlay's id.
    public var overlay: String
    /// The running function, such as `books`.
    public var method: String
    /// The time after which the call is ended; nil if it cannot be ended, because it runs in this process.
    public var limit: Duration?

    /// What the function does, as a phrase such as `list books`, or `finish shutdown` for a function that users do not
    /// know.
    public var purpose: String {
        guard let known = OverlayMethod(rawValue: method), known.purpose != known.rawValue else {
            return "finish \(method)"
        }
        return known.purpose
    }

    /// Creates the description of a running call.
    package init(overlay: String, method: String, limit: Duration?) {
        (self.overlay, self.method, self.limit) = (overlay, method, limit)
    }
}
