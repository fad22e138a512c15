import DeviceWire

/// Reads several short parts of a file that is opened once.
///
/// After the open, all reads are sent together, so it takes two round trips.
class RangesJob: AFCJob {
    private enum Slot {
        static let open = 0
        static let seek = 1
        static let close = 2
        /// The slots of the reads, one for each part, start here.
        static let part = 3
    }

    private struct Part {
        var range: Range<UInt64>
        var bytes: [UInt8] = []
        /// The number of bytes requested but not received.
        var asked = 0
        var isOver = false

        var missing: Int { Int(clamping: range.upperBound - range.lowerBound) - bytes.count }
    }

    let path: String
    private let chunk: Int
    private let meter: ProgressMeter
    private var handle: UInt64?
    /// The parts; nil until they are known.
    private var parts: [Part]?
    /// The position at which the device will read next.
    private var position: UInt64 = 0
    private var isClosing = false

    init(_ index: Int, _ path: String, chunk: Int, _ meter: ProgressMeter) {
        self.path = path
        self.chunk = chunk
        self.meter = meter
        super.init(index: index)
    }

    override var subject: String { path }

    /// Sets the parts to read; called once.
    final func want(_ ranges: [Range<UInt64>]) {
        parts = ranges.map { Part(range: $0) }
        meter.expects(announced)
    }

    private var announced: Int64 {
        (parts ?? []).reduce(0) { $0 + Int64(clamping: $1.range.upperBound - $1.range.lowerBound) }
    }

    /// The bytes of each part; fewer than requested only at the end of the file. The job gives up its own reference
    /// to them.
    final func takeBytes() -> [[UInt8]] {
        defer { parts = nil }
        return (parts ?? []).map(\.bytes)
    }

    override func begin(on channel: AFCChannel) {
        channel.send(.fileOpen(path: path, mode: AFCOpenMode.read.rawValue), for: self, slot: Slot.open)
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        do throws(TransportError) {
            switch slot {
            case Slot.open:
                if answer.meansShortage, failure == nil {
                    holdBack(answer)
                    break
                }
                handle = try answer.handle(path)
            case Slot.seek: if let error = answer.failure(path) { throw error }
            case Slot.close: return  // everything was already read
            default: try take(answer, part: slot - Slot.part)
            }
        } catch {
            fail(error)
        }
        goOn(on: channel)
    }

    /// Requests more bytes, or closes the file.
    final func goOn(on channel: AFCChannel) {
        if failure != nil || heldBack != nil { close(on: channel) } else { ask(channel) }
    }

    private func take(_ answer: BorrowedReply, part index: Int) throws(TransportError) {
        guard var part = parts?[index] else {
            throw .violation("The device answered a request that was not sent.")
        }
        defer { parts?[index] = part }
        let asked = part.asked
        part.asked = 0
        if case .status(.endOfData) = answer {
            part.isOver = true
            position = .max
            return
        }
        let bytes = try answer.data(path)
        guard bytes.count <= asked else { throw .violation("The device sent more bytes than requested.") }
        if bytes.isEmpty { part.isOver = true }
        // After a short answer, the next read must seek.
        if bytes.count < asked { position = .max }
        part.bytes += bytes
        meter.moved(bytes.count, of: index)
    }

    /// Requests the missing bytes of each part that has no read in flight.
    private func ask(_ channel: AFCChannel) {
        guard let handle, var parts, !isClosing else { return }
        for index in parts.indices where !parts[index].isOver && parts[index].asked == 0 {
            let count = min(parts[index].missing, chunk)
            guard count > 0 else { continue }
            let start = parts[index].range.lowerBound + UInt64(parts[index].bytes.count)
            if position != start {
                channel.send(
                    .fileSeek(
                        handle: handle, origin: AFCSeekOrigin.start.rawValue, offset: Int64(clamping: start)),
                    for: self, slot: Slot.seek)
            }
            channel.send(
                .fileRead(handle: handle, length: UInt64(count)), for: self, slot: Slot.part + index,
                expecting: count, down: count)
            parts[index].asked = count
            position = start + UInt64(count)
        }
        self.parts = parts
        if parts.allSatisfy({ $0.asked == 0 && ($0.isOver || $0.missing <= 0) }) { close(on: channel) }
    }

    private func close(on channel: AFCChannel) {
        if let handle { channel.close(handle, isSmall: true, for: self, slot: Slot.close) }
        handle = nil
        isClosing = true
        done()
    }

    override final func abandon(_ error: TransportError, on channel: AFCChannel) {
        fail(error)
        if handle != nil || owed == 0 { close(on: channel) } else { done() }
    }

    override final func mayForget(_ slot: Int) -> Bool { slot != Slot.close }

    override func reset() -> Bool {
        meter.moved(-(parts ?? []).reduce(0) { $0 + $1.bytes.count }, of: index)
        meter.expects(-announced)
        let ranges = parts?.map(\.range)
        (handle, parts, position, isClosing) = (nil, nil, 0, false)
        if let ranges, keepsRanges { want(ranges) }
        return true
    }

    /// Whether the parts stay the same when the job begins again.
    var keepsRanges: Bool { true }
}

/// Reads several parts of one file that were requested one by one, with a result for each.
final class PartsJob: RangesJob {
    /// The indices of the parts among the requests.
    let places: [Int]

    init(_ places: [Int], _ requests: [FileReadRequest], path: String, chunk: Int, _ meter: ProgressMeter) {
        self.places = places
        super.init(places[0], path, chunk: chunk, meter)
        want(places.compactMap { requests[$0].range })
    }

    /// The result for each request.
    func results() -> [(place: Int, result: TransferResult<[UInt8]>)] {
        if let failure { return places.map { ($0, .failure(failure)) } }
        return zip(places, takeBytes()).map { ($0, .success($1)) }
    }
}
