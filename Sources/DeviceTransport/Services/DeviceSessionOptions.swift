/// How a device is used.
public struct DeviceSessionOptions: Sendable, Hashable {
    /// The most file connections opened to one root; a device gives about five in all, to all programs together.
    public var maximumConnections: Int
    /// Requests under way at once on each connection.
    public var requestsPerConnection: Int
    /// Bytes asked for or sent with one request.
    public var chunkSize: Int
    /// The name lockdownd hears.
    public var label: String
    /// Hears of the calls to the device; nil: nobody does.
    public var trace: DeviceTrace?

    /// Makes options; values out of range are brought into it (1…16 connections, 1…64 requests, 4 KiB…4 MiB chunks).
    public init(
        maximumConnections: Int = 4, requestsPerConnection: Int = 8, chunkSize: Int = 512 << 10,
        label: String = "OverlayHost", trace: DeviceTrace? = nil
    ) {
        self.maximumConnections = min(max(maximumConnections, 1), 16)
        self.requestsPerConnection = min(max(requestsPerConnection, 1), 64)
        self.chunkSize = min(max(chunkSize, 4 << 10), 4 << 20)
        self.label = label
        self.trace = trace
    }
}
