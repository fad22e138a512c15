import Glibc
import Synchronization

/// One direction of a simulated link: what comes in at one socket goes out at another when it has crossed.
package struct LatencyPipe {
    private struct Parcel {
        var bytes: [UInt8]
        var sent = 0
        var due: ContinuousClock.Instant
    }

    /// So far ahead bytes are taken onto the cable; what waits longer stays with the sender, so that a change of
    /// bandwidth is felt soon and no connection takes the cable for itself.
    private static let lead = Duration.milliseconds(5)

    package let source: Int32
    package let sink: Int32
    /// How many bytes may be under way, as a real connection's window limits it.
    private let window: Int

    private var parcels: [Parcel] = []
    private var first = 0
    private var underWay = 0
    private var sourceEnded = false
    private var crossed: ContinuousClock.Instant?
    package private(set) var isFinished = false

    package init(from source: Int32, to sink: Int32, window: Int) {
        self.source = source
        self.sink = sink
        self.window = window
    }

    /// When more may be taken from the source, as far as that depends on time: `now`, or when the cable is nearly free.
    /// Nil while the window is full or after the source's end.
    package func nextInput(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !sourceEnded, underWay < window else { return nil }
        return crossed.map { max(now, $0 - LatencyPipe.lead) } ?? now
    }

    /// When the next parcel may go out; nil when none is under way.
    package var due: ContinuousClock.Instant? { first < parcels.count ? parcels[first].due : nil }

    /// Takes what the source holds, in pieces of at most the buffer's size.
    ///
    /// - Parameters:
    ///   - transmission: puts so many bytes on the cable and gives when the last of them has left it.
    ///   - delay: what passes from then until they arrive.
    package mutating func take(
        now: ContinuousClock.Instant, buffer: UnsafeMutableRawBufferPointer, delay: Duration,
        transmission: (Int) -> ContinuousClock.Instant
    ) {
        while let time = nextInput(now: now), time <= now {
            let room = min(buffer.count, window - underWay)
            let count = recv(source, buffer.baseAddress, room, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // An empty parcel carries the end, so that it arrives after everything before it.
            let taken = max(count, 0)
            let left = transmission(taken)
            crossed = left
            underWay += taken
            parcels.append(Parcel(bytes: Array(buffer[..<taken]), due: left + delay))
            if taken == 0 {
                sourceEnded = true
                return
            }
        }
    }

    /// Hands over what is due; true when the sink is full and must become writable first.
    package mutating func deliver(now: ContinuousClock.Instant) -> Bool {
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

    /// Gives up because the receiver has gone; the sender notices at its next write.
    package mutating func abandon() {
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

/// The cable that all connections of a device share: bytes leave one after the other, at so many per second.
package final class SharedBandwidth: Sendable {
    private let free = Mutex(ContinuousClock.now)

    package init() {}

    /// When the last of `count` bytes that are ready now has crossed, at `rate` bytes per second or, with nil, at once.
    package func transmission(_ count: Int, rate: Int?) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        guard let rate, rate > 0 else { return now }
        let time = Duration.seconds(Double(count) / Double(rate))
        return free.withLock { free in
            free = max(free, now) + time
            return free
        }
    }
}
