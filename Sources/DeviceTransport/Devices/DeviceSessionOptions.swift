import Glibc

/// How a device is used.
public struct DeviceSessionOptions: Sendable, Hashable {
    /// The most file connections opened to one root; some devices give about five in all, to all programs together.
    public var maximumConnections: Int
    /// The most file connections a long batch of small requests may open; those beyond `maximumConnections` are closed when
    /// they were idle for `surplusLifetime`, and one of them at once when the device refuses another.
    public var maximumForSmall: Int
    /// How long connections beyond `maximumConnections` are kept idle.
    public var surplusLifetime: Duration
    /// Requests one operation has under way at once, over all its connections together; they share it evenly, and each has
    /// at least one.
    public var requestsInAll: Int
    /// Bytes asked for or sent with one request.
    public var chunkSize: Int
    /// The name lockdownd hears.
    public var label: String
    /// Hears of the calls to the device; nil: nobody does.
    public var trace: DeviceTrace?
    /// Where files of this computer are opened for transfers.
    package var localFiles = LocalFileBudget.shared
    /// Processors of this computer; with more than one several threads encrypt.
    package var processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    /// Makes options; values out of range are brought into it (1…16 connections, 1…1024 requests, 4 KiB…4 MiB chunks).
    ///
    /// `maximumForSmall` is twice `maximumConnections` unless it is given, and never less than `maximumConnections`;
    /// `requestsInAll` is 32 for each of `maximumForSmall` unless it is given.
    public init(
        maximumConnections: Int = 4, maximumForSmall: Int? = nil, surplusLifetime: Duration = .seconds(2),
        requestsInAll: Int? = nil, chunkSize: Int = 512 << 10, label: String = "OverlayHost",
        trace: DeviceTrace? = nil
    ) {
        let connections = min(max(maximumConnections, 1), 16)
        self.maximumConnections = connections
        self.maximumForSmall = min(max(maximumForSmall ?? 2 * connections, connections), 16)
        self.surplusLifetime = surplusLifetime
        self.requestsInAll = min(max(requestsInAll ?? 32 * self.maximumForSmall, 1), 1024)
        self.chunkSize = min(max(chunkSize, 4 << 10), 4 << 20)
        self.label = label
        self.trace = trace
    }
}
