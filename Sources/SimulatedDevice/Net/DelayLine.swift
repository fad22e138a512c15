import Glibc

/// One direction of a simulated link: what comes in at one socket goes out at another when it has crossed.
struct DelayLine {
    private struct Parcel {
        var bytes: [UInt8]
        var sent = 0
        var due: ContinuousClock.Instant
    }

    let source: Int32
    let sink: Int32
    /// How many bytes may be under way, as a real connection's window limits it.
    let window: Int

    private var parcels: [Parcel] = []
    private var first = 0
    private var underWay = 0
    private var sourceEnded = false
    private(set) var isFinished = false

    init(from source: Int32, to sink: Int32, window: Int) {
        self.source = source
        self.sink = sink
        self.window = window
    }

    var wantsInput: Bool { !sourceEnded && underWay < window }

    /// When the next parcel may go out; nil when none is under way.
    var due: ContinuousClock.Instant? { first < parcels.count ? parcels[first].due : nil }

    /// Takes what the source holds; `crossing` says when so many bytes will have crossed.
    mutating func take(buffer: UnsafeMutableRawBufferPointer, crossing: (Int) -> ContinuousClock.Instant) {
        while wantsInput {
            let room = min(buffer.count, window - underWay)
            let count = recv(source, buffer.baseAddress, room, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                sourceEnded = true
                // An empty parcel carries the end, so that it arrives after everything before it.
                parcels.append(Parcel(bytes: [], due: crossing(0)))
                return
            }
            underWay += count
            parcels.append(Parcel(bytes: Array(buffer[..<count]), due: crossing(count)))
        }
    }

    /// Hands over what is due; true when the sink is full and must become writable first.
    mutating func deliver(now: ContinuousClock.Instant) -> Bool {
        while first < parcels.count, parcels[first].due <= now {
            let parcel = parcels[first]
            if parcel.bytes.isEmpty {
                _ = shutdown(sink, Int32(SHUT_WR))
                finish()
                return false
            }
            let count = parcel.bytes.withUnsafeBytes { bytes in
                send(
                    sink, bytes.baseAddress?.advanced(by: parcel.sent), bytes.count - parcel.sent,
                    Int32(MSG_DONTWAIT | Int(MSG_NOSIGNAL)))
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { return true }
                abandon()
                return false
            }
            underWay -= count
            if parcel.sent + count == parcel.bytes.count {
                advance()
            } else {
                parcels[first].sent += count
                return true
            }
        }
        return false
    }

    /// Gives up because nobody takes the bytes any more; whoever sends them learns it at the next write.
    mutating func abandon() {
        _ = shutdown(source, Int32(SHUT_RD))
        finish()
    }

    private mutating func advance() {
        parcels[first].bytes = []
        first += 1
        if first >= 64 {
            parcels.removeFirst(first)
            first = 0
        }
    }

    private mutating func finish() {
        isFinished = true
        sourceEnded = true
        parcels = []
        first = 0
        underWay = 0
    }
}
