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
