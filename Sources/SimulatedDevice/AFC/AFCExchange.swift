import DeviceWire

/// One request under way in a session, from its header to its answer.
final class AFCExchange {
    /// A payload is received and stored in pieces of this many bytes, which stay in the processor's cache meanwhile.
    static let chunkLength = 128 << 10

    let header: AFCHeader
    /// Bytes of the payload that have not been received yet.
    var payloadLeft = 0
    /// What is answered.
    var status: AFCStatus?
    /// Bytes of the answer.
    var bytesSent = 0
    /// Whether the trace has it.
    var isRecorded = false
    private(set) var paths: [String] = []
    private var secondPath: String?
    private let arrival = ContinuousClock.now

    init(header: AFCHeader) {
        self.header = header
    }

    /// Learns what the request is about.
    func describe(_ request: AFCRequest, handlePath: String?) {
        paths = [request.path ?? handlePath, request.secondPath].compactMap { $0 }
        secondPath = request.secondPath
    }

    /// The row of the trace.
    var traced: TracedRequest {
        TracedRequest(
            number: 0, operation: header.operation.name, path: paths.first, secondPath: secondPath,
            status: status?.rawValue, bytesReceived: header.entireLength - payloadLeft, bytesSent: bytesSent,
            duration: arrival.duration(to: .now))
    }
}
