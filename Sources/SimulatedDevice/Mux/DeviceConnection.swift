import Dispatch
import Glibc

/// A client's connection to one service of a device, with the simulated link between them if there is one.
struct DeviceConnection {
    let attached: AttachedDevice
    let client: SocketHandle
    let service: OfferedService
    let threads: WorkerThreads

    /// Runs the service on the calling thread until it ends.
    func run() {
        let device = attached.device
        defer { device.releaseService(service) }
        device.counting.count { $0.connections += 1 }
        guard device.setting({ $0.linkRoundTrip > .zero || $0.bandwidth != nil }) else {
            attached.serve(over: [client]) { serve(client) }
            return
        }
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        else {
            return
        }
        let near = SocketHandle(pair[0])
        let far = SocketHandle(pair[1])
        attached.serve(over: [client, near]) {
            let relay = LinkRelay(settings: device.frequent, bandwidth: attached.bandwidth)
            let carried = DispatchSemaphore(value: 0)
            let isLinked = threads.start {
                relay.run(client: client.descriptor, service: far.descriptor)
                carried.signal()
            }
            guard isLinked else { return }
            serve(near)
            near.close()
            // The last bytes of the service are still in transit.
            carried.wait()
        }
    }

    private func serve(_ socket: SocketHandle) {
        let stream = ConnectionStream(socket: socket, counters: attached.device.counting)
        do {
            if let tls = service.tls, try !begin(tls, stream) { return stream.close() }
            try service.run(stream)
        } catch {
            // The client has gone or violated the protocol. The device closes its side.
        }
        stream.stopTLS()
        _ = shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    /// Encrypts the connection. Returns false if the settings make this fail.
    private func begin(_ tls: TLSContext, _ stream: ConnectionStream) throws -> Bool {
        switch attached.device.settings.serviceHandshake {
        case .works: try stream.startTLS(tls, toTheEnd: service.readsOnly)
        case .fails: return false
        case .isUnanswered: while true { try stream.pause(.seconds(3600)) }
        }
        return true
    }
}
