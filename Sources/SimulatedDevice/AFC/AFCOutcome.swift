import DeviceWire

/// The result of a request carried out: a reply, or the packet of one whose bytes were read straight into it.
enum AFCOutcome {
    case reply(AFCReply)
    case packet([UInt8])

    static let success = AFCOutcome.reply(.status(.success))

    /// What the trace shows.
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
