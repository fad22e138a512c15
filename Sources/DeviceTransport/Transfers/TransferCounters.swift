/// The costs of a `DeviceFiles` so far. The difference between two readings measures one operation.
public struct TransferCounters: Sendable, Hashable {
    /// The number of AFC requests sent.
    public var requests: UInt64 = 0
    /// The number of times a request was sent while no other was in flight on its connection.
    public var roundTrips: UInt64 = 0
    /// The number of bytes sent, including headers.
    public var bytesSent: UInt64 = 0
    /// The number of bytes received, including headers.
    public var bytesReceived: UInt64 = 0
    /// The number of connections opened.
    public var connectionsOpened: UInt64 = 0
    /// The number of connections that failed: lost, timed out, or in an invalid state.
    public var connectionsLost: UInt64 = 0
    /// The number of further connections that the device refused. The work continued with fewer.
    public var connectionsRefused: UInt64 = 0

    /// Creates counters that are zero.
    public init() {}

    /// The increase since an earlier reading.
    public static func - (later: TransferCounters, earlier: TransferCounters) -> TransferCounters {
        var difference = TransferCounters()
        difference.requests = later.requests &- earlier.requests
        difference.roundTrips = later.roundTrips &- earlier.roundTrips
        difference.bytesSent = later.bytesSent &- earlier.bytesSent
        difference.bytesReceived = later.bytesReceived &- earlier.bytesReceived
        difference.connectionsOpened = later.connectionsOpened &- earlier.connectionsOpened
        difference.connectionsLost = later.connectionsLost &- earlier.connectionsLost
        difference.connectionsRefused = later.connectionsRefused &- earlier.connectionsRefused
        return difference
    }
}
