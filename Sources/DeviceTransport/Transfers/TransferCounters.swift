/// What a `DeviceFiles` has cost so far; differences between two readings measure one operation.
public struct TransferCounters: Sendable, Hashable {
    /// AFC requests sent.
    public var requests: UInt64 = 0
    /// Times a request was sent while no other was under way on its connection.
    public var roundTrips: UInt64 = 0
    /// Bytes sent, headers included.
    public var bytesSent: UInt64 = 0
    /// Bytes received, headers included.
    public var bytesReceived: UInt64 = 0
    /// Connections opened.
    public var connectionsOpened: UInt64 = 0
    /// Connections that had to be given up: lost, timed out, or with a broken conversation.
    public var connectionsLost: UInt64 = 0
    /// Further connections the device refused; the work went on with fewer.
    public var connectionsRefused: UInt64 = 0

    /// Makes counters at zero.
    public init() {}

    /// What was added since an earlier reading.
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
