/// How a device is used.
///
/// ```swift
/// let session = try DeviceSession(device, options: DeviceSessionOptions(label: "Shelf"))
/// ```
public struct DeviceSessionOptions: Sendable, Hashable {
    /// The most file connections opened to one root; some devices give about five to all programs together.
    public var maximumConnections: Int
    /// The most requests that one operation has under way at once on each of its connections.
    public var requestsOnEach: Int
    /// Bytes read or written with one request.
    public var chunkSize: Int
    /// The name of the program for lockdownd.
    public var label: String
    /// Hears of the calls to the device, if given.
    public var trace: DeviceTrace?
    /// Opens the local files of transfers.
    package var localFiles = LocalFileBudget.shared

    /// Makes options; values out of range are brought into it (1…16 connections, 1…1024 requests, 4 KiB…4 MiB chunks).
    public init(
        maximumConnections: Int = 4, requestsOnEach: Int = 32, chunkSize: Int = 512 << 10,
        label: String = "OverlayHost", trace: DeviceTrace? = nil
    ) {
        self.maximumConnections = min(max(maximumConnections, 1), 16)
        self.requestsOnEach = min(max(requestsOnEach, 1), 1024)
        self.chunkSize = min(max(chunkSize, 4 << 10), 4 << 20)
        self.label = label
        self.trace = trace
    }
}
