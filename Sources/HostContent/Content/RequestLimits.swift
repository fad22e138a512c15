import DeviceTransport
import Dispatch

/// Ends requests to a server when their command is cancelled or its time is over, also while bytes keep coming.
///
/// Only as long as it is kept. Any thread may let go of it.
///
/// Unchecked: the timer is set up before anybody else has this object, and Dispatch lets any thread cancel a source.
final class RequestLimits: @unchecked Sendable {
    private let cancel: Cancellation.Registration?
    private let timer: (any DispatchSourceTimer)?

    /// - Parameter end: called at most once for each limit, on a thread of its own.
    init(_ limits: OperationContext, _ end: @escaping @Sendable () -> Void) {
        cancel = limits.cancellation?.whenCancelled(end)
        guard let deadline = limits.deadline else {
            timer = nil
            return
        }
        let left = max(.zero, ContinuousClock.now.duration(to: deadline)).components
        let timer = DispatchSource.makeTimerSource()
        // A deadline beyond a year is none.
        let nanoseconds = min(left.seconds, 31_536_000) * 1_000_000_000 + left.attoseconds / 1_000_000_000
        timer.setEventHandler(handler: end)
        timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        timer.activate()
        self.timer = timer
    }

    deinit { timer?.cancel() }
}
