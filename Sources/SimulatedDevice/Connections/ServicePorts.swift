import Synchronization

/// The ports of a device at which started services wait for the host. Each accepts one connection.
final class ServicePorts: Sendable {
    /// The port of lockdownd on every device.
    static let lockdown: UInt16 = 62_078

    private struct Waiting {
        var service: OfferedService
        var since: ContinuousClock.Instant
    }

    private struct State {
        var next: UInt16 = 49_152
        var waiting: [Waiting] = []
        var openFileServices = 0
    }

    /// The time that a started service waits for its connection.
    private static let patience = Duration.seconds(30)
    /// The largest number of waiting services. If there are more, the one that has waited longest is removed.
    private static let mostWaiting = 128

    private let state = Mutex(State())

    /// Makes `service` wait at a new port; nil if there are already `limit` file connections, open or expected.
    func offer(limit: Int?, isFileService: Bool, _ service: (UInt16) -> OfferedService) -> OfferedService? {
        state.withLock { state in
            let now = ContinuousClock.now
            state.waiting.removeAll { now - $0.since > ServicePorts.patience }
            if isFileService, let limit {
                let reserved = state.waiting.count { $0.service.isFileService }
                guard state.openFileServices + reserved < limit else { return nil }
            }
            if state.waiting.count >= ServicePorts.mostWaiting { state.waiting.removeFirst() }
            let service = service(state.next)
            state.next = state.next == .max ? 49_152 : state.next + 1
            if state.next == ServicePorts.lockdown { state.next += 1 }
            state.waiting.append(Waiting(service: service, since: now))
            return service
        }
    }

    /// The service that waits at a port. The port is free afterwards.
    func take(_ port: UInt16) -> OfferedService? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.service.port == port }) else { return nil }
            let service = state.waiting.remove(at: index).service
            if service.isFileService { state.openFileServices += 1 }
            return service
        }
    }

    func isWaiting(_ port: UInt16) -> Bool {
        state.withLock { state in state.waiting.contains { $0.service.port == port } }
    }

    /// Records that the connection of a service has ended.
    func release(_ service: OfferedService) {
        guard service.isFileService else { return }
        state.withLock { $0.openFileServices -= 1 }
    }
}

/// A service that waits for its one connection, or has it.
struct OfferedService: Sendable {
    /// The name by which it was started.
    let name: String
    let port: UInt16
    /// Whether it counts towards the limit of file connections.
    let isFileService: Bool
    /// Whether it only reads one request after the other, so that reading ahead on its connection is safe.
    let readsOnly: Bool
    /// Encrypts the connection from its first byte; nil for plain text.
    let tls: TLSContext?
    /// Serves the connection until it ends.
    let run: @Sendable (ConnectionStream) throws -> Void
}
