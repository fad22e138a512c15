import DeviceWire

/// How faults bend the answer to one request; of two faults of a kind the first counts.
struct AFCAnswer {
    /// When the connection is dropped.
    enum Disconnection {
        case never, before, unanswered
    }

    private(set) var disconnects = Disconnection.never
    private(set) var status: AFCStatus?
    private(set) var stalls = false
    private(set) var stopsReading = false
    private(set) var delay = Duration.zero
    private(set) var packetNumberOffset: UInt64 = 0
    /// Most bytes FILE_READ answers.
    private(set) var readLimit: Int?
    /// Bytes FILE_WRITE stores before the disk is full.
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

    /// Bends the bytes of a reply; true when the connection goes on after them.
    func bend(_ reply: inout [UInt8]) -> Bool {
        if let garbage { reply = garbage }
        guard let replyLimit else { return true }
        reply = Array(reply.prefix(replyLimit))
        return false
    }
}
