import DeviceWire

/// One request in progress in a session, from its header to its answer.
final class AFCExchange {
    /// The piece size, in bytes, in which a payload is received and stored. A piece of this size stays in the
    /// processor's cache.
    static let chunkLength = 128 << 10

    let header: AFCHeader
    /// The number of bytes of the payload that have not been received yet.
    var payloadLeft = 0
    /// The status of the answer; nil before there is one.
    var status: AFCStatus?
    /// The number of bytes of the answer that were sent.
    var bytesSent = 0
    /// Whether the request is already in the trace.
    var isRecorded = false
    private(set) var paths: [String] = []
    private var secondPath: String?
    private let arrival = ContinuousClock.now

    init(header: AFCHeader) {
        self.header = header
    }

    /// Records what the request is about, for the trace.
    func describe(_ request: AFCRequest, handlePath: String?) {
        paths = [request.path ?? handlePath, request.secondPath].compactMap { $0 }
        secondPath = request.secondPath
    }

    /// The entry for the trace.
    var traced: TracedRequest {
        TracedRequest(
            number: 0, operation: header.operation.name, path: paths.first, secondPath: secondPath,
            status: status?.rawValue, bytesReceived: header.entireLength - payloadLeft, bytesSent: bytesSent,
            duration: arrival.duration(to: .now))
    }
}

/// The result of a request: a reply, or a finished packet if the bytes of a file were read straight into it.
enum AFCOutcome {
    case reply(AFCReply)
    case packet([UInt8])

    static let success = AFCOutcome.reply(.status(.success))

    /// The status that the trace shows.
    var status: AFCStatus {
        if case .reply(.status(let status)) = self { status } else { .success }
    }

    /// The bytes to send.
    func encoded(packetNumber: UInt64) -> [UInt8] {
        switch self {
        case .reply(let reply): reply.encode(packetNumber: packetNumber)
        case .packet(let bytes): bytes
        }
    }
}

/// The changes that faults make to the answer to one request. If several faults have the same effect, the first one
/// counts.
struct AFCAnswer {
    /// Whether and when the connection is dropped.
    enum Disconnection {
        case never, before, unanswered
    }

    private(set) var disconnects = Disconnection.never
    private(set) var status: AFCStatus?
    private(set) var stalls = false
    private(set) var stopsReading = false
    private(set) var delay = Duration.zero
    private(set) var packetNumberOffset: UInt64 = 0
    /// The largest number of bytes that FILE_READ answers.
    private(set) var readLimit: Int?
    /// The number of bytes that FILE_WRITE stores before the disk is full.
    private(set) var storedBytes: Int?
    private var replyLimit: Int?
    private var garbage: [UInt8]?

    init(effects: [Fault.Effect]) {
        for effect in effects.reversed() { adopt(effect) }
    }

    private mutating func adopt(_ effect: Fault.Effect) {
        switch effect {
        case .status(let code): status = AFCStatus(rawValue: code)
        case .disconnect: disconnects = .before
        case .disconnectUnanswered: disconnects = .unanswered
        case .stall: stalls = true
        case .stopReading: stopsReading = true
        case .lateReply(let duration): delay = duration
        case .wrongPacketNumber(let offset): packetNumberOffset = offset
        case .shortRead(let limit): readLimit = max(0, limit)
        case .diskFull(let keeping): storedBytes = max(0, keeping)
        case .partialReply(let limit): replyLimit = max(0, limit)
        case .garbageReply(let bytes): garbage = bytes
        }
    }

    /// Changes the bytes of a reply. Returns false if the connection ends after them.
    func bend(_ reply: inout [UInt8]) -> Bool {
        if let garbage { reply = garbage }
        guard let replyLimit else { return true }
        reply = Array(reply.prefix(replyLimit))
        return false
    }
}
