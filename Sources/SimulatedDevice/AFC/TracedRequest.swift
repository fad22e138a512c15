/// One request the file service of a simulated device was asked, and how it ended.
public struct TracedRequest: Sendable, Equatable {
    /// The request's place among all of the device, from 1.
    public var number: UInt64
    /// The operation's name in AFC, for example `FILE_OPEN`; `0x…` for one the device does not know.
    public var operation: String
    /// The path, or that of the open file; nil for a request without one.
    public var path: String?
    /// The second path of a rename or link.
    public var secondPath: String?
    /// The status code answered, 0 for success; nil when the connection ended without an answer.
    public var status: UInt64?
    /// Bytes of the request, payload included.
    public var bytesReceived: Int
    /// Bytes of the answer.
    public var bytesSent: Int
    /// From the request's arrival to its answer.
    public var duration: Duration
}
