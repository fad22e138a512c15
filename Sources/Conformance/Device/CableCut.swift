import SimulatedDevice
import Synchronization

/// Unplugs a simulated device when its file service is about to answer a request. Any thread.
final class CableCut: Sendable {
    private struct State {
        var requests = 0
        var cutsAt: Int?
        var isCut = false
    }

    private let state = Mutex(State())

    /// Observes the requests of `device`, which is attached to `daemon`.
    init(_ device: SimulatedDevice, _ daemon: SimulatedUsbmuxd) {
        device.onFileRequest { [weak self, weak device] _ in
            guard let self, let device, self.isTime() else { return }
            daemon.detach(device)
        }
    }

    /// The number of requests since the last `arm`.
    var requests: Int { state.withLock { $0.requests } }
    /// Whether the device is unplugged.
    var isCut: Bool { state.withLock { $0.isCut } }

    /// Restarts the count. The device is unplugged at the request with this number, or not at all.
    func arm(cutsAt: Int? = nil) { state.withLock { $0 = State(cutsAt: cutsAt) } }

    private func isTime() -> Bool {
        state.withLock { state in
            state.requests += 1
            guard state.requests == state.cutsAt else { return false }
            state.isCut = true
            return true
        }
    }
}
