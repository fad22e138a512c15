import Dispatch
import Synchronization

/// One way to reach a device, from the moment it is plugged in or joins the network until it is removed.
final class AttachedDevice: Sendable {
    let device: SimulatedDevice
    /// The number by which clients of the daemon address it.
    let number: UInt32
    /// The UDID it was attached with.
    let udid: String
    let bandwidth = SharedBandwidth()
    /// The address at which clients reach the device directly; nil for a device on a cable.
    let network: NetworkPresence?

    private struct State {
        var isGone = false
        var sockets: [ObjectIdentifier: SocketHandle] = [:]
    }

    private let state = Mutex(State())
    private let serving = DispatchGroup()

    init(_ device: SimulatedDevice, number: UInt32, network: NetworkPresence? = nil) {
        self.device = device
        self.number = number
        self.network = network
        udid = device.settings.udid
    }

    /// Runs `body` as one of the device's connections. The sockets are shut down when the cable is pulled.
    ///
    /// Does nothing if the cable has already been pulled.
    func serve(over sockets: [SocketHandle], _ body: () -> Void) {
        let isHere = state.withLock { state in
            guard !state.isGone else { return false }
            for socket in sockets { state.sockets[ObjectIdentifier(socket)] = socket }
            serving.enter()
            return true
        }
        guard isHere else { return }
        body()
        state.withLock { state in
            for socket in sockets { state.sockets[ObjectIdentifier(socket)] = nil }
        }
        serving.leave()
    }

    /// Shuts down all connections at once.
    func unplug() {
        let sockets = state.withLock { state in
            state.isGone = true
            return Array(state.sockets.values)
        }
        for socket in sockets { socket.cut() }
    }

    /// Waits until the last connection has noticed the shutdown.
    func waitUntilIdle() { serving.wait() }

    /// The serial number in the `Properties` of the `Attached` message.
    ///
    /// A UDID of the newer form is sent without its dash, and libusbmuxd inserts it again.
    var serialNumber: String {
        let udid = Array(udid)
        guard udid.count == 25, udid[8] == "-" else { return self.udid }
        return String(udid[..<8] + udid[9...])
    }
}
