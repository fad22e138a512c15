import Glibc
import Synchronization

/// One direction of a simulated link: bytes from one socket are sent to another after the time they need to cross the
/// link.
package struct LatencyPipe {
    private struct Parcel {
        var bytes: [UInt8]
        var sent = 0
        var due: ContinuousClock.Instant
    }

    /// The time for which bytes are put on the cable in advance. Further bytes stay with the sender, so that a change
    /// of bandwidth takes effect soon and no connection occupies the whole cable.
    private static let lead = Duration.milliseconds(5)

    package let source: Int32
    package let sink: Int32
    /// The number of bytes that may be in transit, like the window of a real connection.
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

    /// When to take more from the source: `now`, or when the cable is nearly free. Nil while the window is full or
    /// after the source has ended.
    package func nextInput(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !sourceEnded, underWay < window else { return nil }
        return crossed.map { max(now, $0 - LatencyPipe.lead) } ?? now
    }

    /// When the next parcel may be delivered; nil if none is in transit.
    package var due: ContinuousClock.Instant? { first < parcels.count ? parcels[first].due : nil }

    /// Takes the available bytes from the source, in pieces of at most the buffer's size.
    ///
    /// - Parameters:
    ///   - transmission: puts that many bytes on the cable and returns when the last of them has left it.
    /// - delay: the time from then until their arrival.
    package mutating func take(
        now: ContinuousClock.Instant, buffer: UnsafeMutableRawBufferPointer, delay: Duration,
        transmission: (Int) -> ContinuousClock.Instant
    ) {
        while let time = nextInput(now: now), time <= now {
            let room = min(buffer.count, window - underWay)
            let count = recv(source, buffer.baseAddress, room, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // An empty parcel represents the end, so that it arrives after everything before it.
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

    /// Delivers the parcels that are due. Returns true if the sink is full and must become writable first.
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

    /// Stops because the receiver has gone. The sender notices at its next write.
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

/// The cable that all connections of a device share. Bytes leave one after the other, at a limited rate.
package final class SharedBandwidth: Sendable {
    private let free = Mutex(ContinuousClock.now)

    package init() {}

    /// When the last of `count` bytes that are ready now has crossed the cable at `rate` bytes per second;
    /// immediately if `rate` is nil.
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
