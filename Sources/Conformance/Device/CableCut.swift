import SimulatedDevice
import Synchronization

/// Pulls the cable of a simulated device when its file service is about to answer a request. Any thread.
final class CableCut: Sendable {
    private struct State {
        var requests = 0
        var cutsAt: Int?
        var isCut = false
    }

    private let state = Mutex(State())

    /// Listens to the requests of `device`, which is attached to `daemon`.
    init(_ device: SimulatedDevice, _ daemon: SimulatedUsbmuxd) {
        device.onFileRequest { [weak self, weak device] _ in
            guard let self, let device, self.isTime() else { return }
            daemon.detach(device)
        }
    }

    /// Requests since the last `arm`.
    var requests: Int { state.withLock { $0.requests } }
    /// Whether the cable is pulled.
    var isCut: Bool { state.withLock { $0.isCut } }

    /// Restarts the count; the cable is pulled at one request, or not at all.
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
