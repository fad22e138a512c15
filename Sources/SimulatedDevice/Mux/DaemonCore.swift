import DeviceWire
import Dispatch
import FoundationEssentials
import Glibc
import PropertyLists
import Synchronization

/// The state that a daemon's connections share: the attached devices, the listeners, and the pair records.
final class DaemonCore: Sendable {
    let records: PairRecordStore
    let threads = WorkerThreads()

    private struct State {
        var lastNumber: UInt32 = 0
        var devices: [AttachedDevice] = []
        var listeners: [SocketHandle] = []
        var clients: [ObjectIdentifier: SocketHandle] = [:]
        /// UDIDs of trusted devices that have no pair record yet. The record is created when a client requests it,
        /// because generating keys takes time.
        var promisedRecords: Set<String> = []
        var isStopping = false
    }

    private let state = Mutex(State())

    init(recordsFolder: URL) {
        records = PairRecordStore(folder: recordsFolder)
    }

    // MARK: Clients

    /// Serves a new client on its own thread.
    func accept(_ socket: SocketHandle) {
        let isWelcome = state.withLock { state in
            if !state.isStopping { state.clients[ObjectIdentifier(socket)] = socket }
            return !state.isStopping
        }
        let isServed =
            isWelcome
            && threads.start { [self] in
                MuxClient(daemon: self, socket: socket).run()
                leave(socket)
            }
        if !isServed { leave(socket) }
    }

    private func leave(_ socket: SocketHandle) {
        _ = state.withLock { $0.clients.removeValue(forKey: ObjectIdentifier(socket)) }
        socket.close()
    }

    /// Ends all connections and waits until the last one has noticed.
    func stop() {
        let (clients, devices) = state.withLock { state in
            state.isStopping = true
            return (Array(state.clients.values), state.devices)
        }
        for device in devices {
            device.network?.stop()
            device.unplug()
        }
        for client in clients { client.cut() }
        threads.joinAll()
    }

    /// Prepares the core for another start. Attached devices get new connections.
    func reopen() {
        threads.reopen()
        let old = state.withLock { state in
            state.isStopping = false
            defer { state.devices = [] }
            return state.devices
        }
        for attached in old { add(attached.device, overNetwork: attached.network != nil) }
    }

    // MARK: Devices

    func attach(_ device: SimulatedDevice) {
        detach(device)
        device.setTrustObserver { [weak self, weak device] in
            guard let self, let device else { return }
            self.followTrust(of: device)
        }
        // Done before the device is announced, because a listener may request its record at once.
        followTrust(of: device)
        let attachment = device.settings.attachment
        if attachment != .network { add(device, overNetwork: false) }
        if attachment != .usb { add(device, overNetwork: true) }
    }

    private func add(_ device: SimulatedDevice, overNetwork: Bool) {
        var network: NetworkPresence?
        if overNetwork {
            do {
                network = try NetworkPresence(udid: device.settings.udid)
            } catch {
                // Without an address the device is not on this network, as if its Wi-Fi were not connected.
                return device.noteNetworkFailure(error)
            }
        }
        let attached = state.withLock { state in
            state.lastNumber += 1
            return AttachedDevice(device, number: state.lastNumber, network: network)
        }
        if let network {
            let isStarted = network.start { [weak self, weak attached] socket, port in
                guard let self, let attached else { return socket.close() }
                self.serve(socket, of: attached, port: port)
            }
            guard isStarted else {
                return device.noteNetworkFailure(
                    SimulationError(.system, "The system cannot start a thread for the device."))
            }
            device.setNetwork(network)
        }
        state.withLock { state in
            state.devices.append(attached)
            notify(&state, DaemonCore.attachedMessage(attached))
        }
    }

    /// Serves a connection to a device over the network.
    private func serve(_ socket: SocketHandle, of attached: AttachedDevice, port: UInt16) {
        guard let service = attached.device.takeService(port: port) else { return socket.close() }
        let isServed = threads.start { [self] in
            DeviceConnection(attached: attached, client: socket, service: service, threads: threads).run()
            socket.close()
        }
        if !isServed {
            attached.device.releaseService(service)
            socket.close()
        }
    }

    func detach(_ device: SimulatedDevice) {
        let gone = state.withLock { state in
            let gone = state.devices.filter { $0.device === device }
            state.devices.removeAll { $0.device === device }
            for attached in gone {
                // Shut down before the removal is announced, so that a listener finds the connections closed.
                attached.unplug()
                notify(&state, ["MessageType": "Detached", "DeviceID": .integer(Int64(attached.number))])
            }
            return gone
        }
        if gone.isEmpty { return }
        device.setTrustObserver(nil)
        device.setNetwork(nil)
        for attached in gone {
            attached.network?.stop()
            // A fault may pull the cable from within one of the connections, which must not wait for itself.
            if !threads.includeCurrent { attached.waitUntilIdle() }
        }
    }

    func isAttached(_ device: SimulatedDevice) -> Bool {
        state.withLock { state in state.devices.contains { $0.device === device } }
    }

    func attached(_ number: Int64) -> AttachedDevice? {
        state.withLock { state in state.devices.first { Int64($0.number) == number } }
    }

    func attachedMessages() -> [PropertyList] {
        state.withLock { $0.devices }.map(DaemonCore.attachedMessage)
    }

    // MARK: Listeners

    /// Makes a client a listener. It gets `first`, then one message for each device, then all changes.
    func listen(_ socket: SocketHandle, first: [UInt8]) {
        state.withLock { state in
            guard socket.sendAtOnce(first) else { return socket.cut() }
            let devices = state.devices
            state.listeners.append(socket)
            for device in devices { notify(&state, DaemonCore.attachedMessage(device), only: socket) }
        }
    }

    func forget(_ socket: SocketHandle) {
        state.withLock { state in state.listeners.removeAll { $0 === socket } }
    }

    func listenerEntries() -> [PropertyList] {
        state.withLock { state in
            state.listeners.map { ["ConnType": 1, "ID String": .string("listener-\($0.descriptor)")] }
        }
    }

    /// Sends a change to the listeners. A listener that does not accept it is disconnected, so that it cannot block
    /// the daemon.
    private func notify(_ state: inout State, _ message: PropertyList, only: SocketHandle? = nil) {
        let packet: [UInt8]
        do {
            packet = try UsbmuxPacket(tag: 0, message).encoded
        } catch {
            // Strings and numbers can always be encoded.
            assertionFailure("\(error)")
            return
        }
        state.listeners.removeAll { listener in
            guard only == nil || only === listener, !listener.sendAtOnce(packet) else { return false }
            listener.cut()
            return true
        }
    }

    private static func attachedMessage(_ attached: AttachedDevice) -> PropertyList {
        let number = PropertyList.integer(Int64(attached.number))
        var properties: [String: PropertyList] = [
            "DeviceID": number, "SerialNumber": .string(attached.serialNumber),
        ]
        if let network = attached.network {
            properties["ConnectionType"] = "Network"
            properties["EscapedFullServiceName"] = .string(
                DeviceIdentity(attached.device.settings).wifiAddress + "._apple-mobdev2._tcp.local.")
            properties["InterfaceIndex"] = 1
            properties["NetworkAddress"] = .data(network.socketAddress)
        } else {
            properties["ConnectionSpeed"] = 480_000_000
            properties["ConnectionType"] = "USB"
            properties["LocationID"] = .integer(0x1400_0000 + Int64(attached.number))
            properties["ProductID"] = 0x12AB
        }
        return ["MessageType": "Attached", "DeviceID": number, "Properties": .dictionary(properties)]
    }

    // MARK: Pair records

    /// The pair record of a device. It is created on first use, if the device still trusts this host.
    func pairRecord(_ name: String) throws -> Data? {
        let device = state.withLock { state -> SimulatedDevice? in
            guard state.promisedRecords.contains(name) else { return nil }
            return state.devices.first { $0.udid == name }?.device
        }
        if let device {
            let record = try PairRecord.make(
                for: device.pairing, wifiAddress: DeviceIdentity(device.settings).wifiAddress,
                systemBUID: try records.hostIdentity())
            let isStillWanted = state.withLock { $0.promisedRecords.remove(name) != nil }
            if isStillWanted { _ = try records.save(name, Data(try record.encoded(.binary))) }
        }
        return try records.record(name)
    }

    func savePairRecord(_ name: String, _ data: Data, device number: Int64?) throws -> Bool {
        guard try records.save(name, data) else { return false }
        state.withLock { state in
            state.promisedRecords.remove(name)
            if let number, state.devices.contains(where: { Int64($0.number) == number }) {
                notify(&state, ["MessageType": "Paired", "DeviceID": .integer(number)])
            }
        }
        return true
    }

    func deletePairRecord(_ name: String) throws -> Bool {
        let wasPromised = state.withLock { $0.promisedRecords.remove(name) != nil }
        return try records.delete(name) || wasPromised
    }

    /// Makes sure that there is a record that the device accepts, if it trusts this host.
    private func followTrust(of device: SimulatedDevice) {
        let settings = device.settings
        var isMissing = false
        if settings.trust == .trusted {
            do {
                let record = try records.record(settings.udid).map { try PropertyList(parsing: $0) }
                isMissing = !(record?["HostID"]?.string.map(device.knowsHost) ?? false)
            } catch {
                // A record that cannot be read is replaced.
                isMissing = true
            }
        }
        state.withLock { state in
            if isMissing {
                state.promisedRecords.insert(settings.udid)
            } else {
                state.promisedRecords.remove(settings.udid)
            }
        }
        if isMissing { prepareKeys(of: device) }
    }

    /// Creates the keys for a promised record, once per process. A client waits five seconds for a record, and
    /// finding two large primes can take that long.
    private func prepareKeys(of device: SimulatedDevice) {
        let ready = DispatchGroup()
        for task in [GeneratedKeys.host, device.pairing.privateKey] as [@Sendable () throws -> [UInt8]] {
            ready.enter()
            let make: @Sendable () -> Void = {
                defer { ready.leave() }
                do {
                    _ = try task()
                } catch {
                    // The request for the record tries again and reports the error.
                }
            }
            if !threads.start(make) { make() }
        }
        ready.wait()
    }
}
