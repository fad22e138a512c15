import DeviceTransport
import OverlayHost
import Platform

/// Limits how many requests run at a time, because usbmuxd refuses connections if too many wait for it. Any thread.
final class RequestLimiter: Sendable {
    private let free: Monitor<Int>

    /// - Parameter places: the number of requests at a time.
    init(places: Int) { free = Monitor(places) }

    /// Runs the work as soon as there is a place for it.
    ///
    /// - Throws: `cancelled` while it waits for a place, and errors of the work.
    func pass<Result>(
        _ cancellation: Cancellation, _ work: () throws(HostError) -> Result
    ) throws(HostError) -> Result {
        let waking = cancellation.whenCancelled { [free] in free.change { _ in } }
        let hasPlace: Bool = free.wait { free in
            if cancellation.isCancelled { return false }
            guard free > 0 else { return nil }
            free -= 1
            return true
        }
        withExtendedLifetime(waking) {}
        guard hasPlace else { throw HostError(.cancelled, "The request was cancelled.") }
        defer { free.change { $0 += 1 } }
        return try work()
    }
}
