/// Options for the use of a device.
///
/// ```swift
/// let session = try DeviceSession(device, options: DeviceSessionOptions(label: "Shelf"))
/// ```
public struct DeviceSessionOptions: Sendable, Hashable {
    /// The largest number of file connections to one root. Some devices allow about five for all programs together.
    public var maximumConnections: Int
    /// The largest number of requests that one operation has in flight on each of its connections.
    public var requestsOnEach: Int
    /// The number of bytes read or written with one request.
    public var chunkSize: Int
    /// The name that the program reports to lockdownd.
    public var label: String
    /// Records the calls to the device, if set.
    public var trace: DeviceTrace?
    /// The budget that opens the local files of transfers.
    package var localFiles = LocalFileBudget.shared

    /// Creates options. Values out of range are clamped (1…16 connections, 1…1024 requests, 4 KiB…4 MiB chunks).
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
