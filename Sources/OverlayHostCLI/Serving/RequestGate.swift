import DeviceTransport
import OverlayHost
import Platform

/// Lets a number of requests at a time go on, because usbmuxd refuses connections when too many wait for it. Any thread.
final class RequestGate: Sendable {
    private let free: Monitor<Int>

    /// - Parameter places: requests at a time.
    init(places: Int) { free = Monitor(places) }

    /// Does the work once there is a place for it.
    ///
    /// - Throws: `cancelled` while it waits for one, and what the work throws.
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
