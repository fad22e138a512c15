import DeviceWire
import Synchronization

/// What a simulated device was asked to do since it was made or its counters were last reset.
public struct SimulatedDeviceCounters: Sendable, Equatable {
    /// Requests by name: protocol, a dot, and the request, for example `afc.FILE_OPEN` or `lockdown.GetValue`.
    public var requests: [String: Int] = [:]
    /// Bytes that arrived over all connections to the device, encryption included.
    public var bytesReceived: UInt64 = 0
    /// Bytes that the device sent over all its connections, encryption included.
    public var bytesSent: UInt64 = 0
    /// Connections opened to the device.
    public var connections: Int = 0
    /// Services that lockdownd started for a host.
    public var servicesStarted: Int = 0
    /// Services among them that a host has connected to.
    public var servicesConnected: Int = 0
    /// Connections to lockdownd that the device ended because nothing came over them.
    public var idleConnectionsEnded: Int = 0

    /// Counters that stand at nothing.
    public init() {}

    /// The requests of one protocol, for example `afc`, added up.
    public func total(of protocolName: String) -> Int {
        requests.reduce(0) { sum, entry in entry.key.hasPrefix(protocolName + ".") ? sum + entry.value : sum }
    }
}

/// What the device counts while it runs; used by all its connections at once.
final class DeviceCounters: Sendable {
    private let counters = Mutex(SimulatedDeviceCounters())
    // Bytes and file operations are counted for every message, so without the lock, which all connections would wait for.
    private let receivedBytes = Atomic<UInt64>(0)
    private let sentBytes = Atomic<UInt64>(0)
    private let operations = OperationCounts()

    /// The counters as they are now.
    var current: SimulatedDeviceCounters {
        var current = counters.withLock { $0 }
        current.bytesReceived = receivedBytes.load(ordering: .relaxed)
        current.bytesSent = sentBytes.load(ordering: .relaxed)
        current.requests.merge(operations.named) { $0 + $1 }
        return current
    }

    func reset() {
        counters.withLock { $0 = SimulatedDeviceCounters() }
        receivedBytes.store(0, ordering: .relaxed)
        sentBytes.store(0, ordering: .relaxed)
        operations.reset()
    }

    /// Counts anything but bytes and file operations.
    func count(_ change: (inout SimulatedDeviceCounters) -> Void) {
        counters.withLock { change(&$0) }
    }

    func count(_ operation: AFCOperation) { operations.add(operation) }

    func count(received: UInt64 = 0, sent: UInt64 = 0) {
        if received > 0 { receivedBytes.wrappingAdd(received, ordering: .relaxed) }
        if sent > 0 { sentBytes.wrappingAdd(sent, ordering: .relaxed) }
    }
}
