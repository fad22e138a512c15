import DeviceWire
import Synchronization

/// Counts what a simulated device did since it was created or its counters were last reset.
public struct SimulatedDeviceCounters: Sendable, Equatable {
    /// Requests by name: the protocol, a dot, and the request, for example `afc.FILE_OPEN` or `lockdown.GetValue`.
    public var requests: [String: Int] = [:]
    /// Bytes received over all connections to the device, including encryption.
    public var bytesReceived: UInt64 = 0
    /// Bytes sent by the device over all its connections, including encryption.
    public var bytesSent: UInt64 = 0
    /// Connections opened to the device.
    public var connections: Int = 0
    /// Services that lockdownd started for a host.
    public var servicesStarted: Int = 0
    /// The number of these services that a host has connected to.
    public var servicesConnected: Int = 0
    /// Connections to lockdownd that the device ended because they were idle.
    public var idleConnectionsEnded: Int = 0

    /// Creates counters that are zero.
    public init() {}

    /// The total number of requests of one protocol, for example `afc`.
    public func total(of protocolName: String) -> Int {
        requests.reduce(0) { sum, entry in entry.key.hasPrefix(protocolName + ".") ? sum + entry.value : sum }
    }
}

/// The counters of a running device. All its connections use them at the same time.
final class DeviceCounters: Sendable {
    private let counters = Mutex(SimulatedDeviceCounters())
    // Bytes and file operations are counted for every message, so they use atomics instead of a lock that all
    // connections would wait for.
    private let receivedBytes = Atomic<UInt64>(0)
    private let sentBytes = Atomic<UInt64>(0)
    private let operations = OperationCounts()

    /// The current values of the counters.
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

    /// Changes the counters for anything except bytes and file operations.
    func count(_ change: (inout SimulatedDeviceCounters) -> Void) {
        counters.withLock { change(&$0) }
    }

    func count(_ operation: AFCOperation) { operations.add(operation) }

    func count(received: UInt64 = 0, sent: UInt64 = 0) {
        if received > 0 { receivedBytes.wrappingAdd(received, ordering: .relaxed) }
        if sent > 0 { sentBytes.wrappingAdd(sent, ordering: .relaxed) }
    }
}
