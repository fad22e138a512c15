/// How a device is used.
public struct DeviceSessionOptions: Sendable, Hashable {
    /// The most file connections opened to one root; some devices give about five in all, to all programs together.
    public var maximumConnections: Int
    /// The most file connections a long batch of small requests may open; those beyond `maximumConnections` are closed when
    /// they were idle for `surplusLifetime`, and one of them at once when the device refuses another.
    public var maximumForSmall: Int
    /// How long connections beyond `maximumConnections` are kept idle.
    public var surplusLifetime: Duration
    /// Requests under way at once on each connection.
    public var requestsPerConnection: Int
    /// Bytes asked for or sent with one request.
    public var chunkSize: Int
    /// The name lockdownd hears.
    public var label: String
    /// Hears of the calls to the device; nil: nobody does.
    public var trace: DeviceTrace?

    /// Makes options; values out of range are brought into it (1…16 connections, 1…64 requests, 4 KiB…4 MiB chunks).
    ///
    /// `maximumForSmall` is twice `maximumConnections` unless it is given, and never less than that.
    public init(
        maximumConnections: Int = 4, maximumForSmall: Int? = nil, surplusLifetime: Duration = .seconds(2),
        requestsPerConnection: Int = 8, chunkSize: Int = 512 << 10, label: String = "OverlayHost",
        trace: DeviceTrace? = nil
    ) {
        let connections = min(max(maximumConnections, 1), 16)
        self.maximumConnections = connections
        self.maximumForSmall = min(max(maximumForSmall ?? 2 * connections, connections), 16)
        self.surplusLifetime = surplusLifetime
        self.requestsPerConnection = min(max(requestsPerConnection, 1), 64)
        self.chunkSize = min(max(chunkSize, 4 << 10), 4 << 20)
        self.label = label
        self.trace = trace
    }
}
