import DeviceWire
import Glibc

/// One connection that speaks AFC, with any number of requests in flight.
///
/// Its methods never block: `flush` and `fetch` move the bytes that can be moved now, and `deliver` passes answers to
/// the jobs, matched by packet number. After any failure, requests and answers may no longer match, so the connection
/// is not used again.
final class AFCChannel: @unchecked Sendable {
    // Used by one thread at a time: the one that took the channel out of its pool.
    let connection: ServiceConnection
    /// The reason why the connection can no longer be used.
    private(set) var failure: TransportError?
    /// The reason why the connection ended. Kept here until the answers that arrived before are delivered.
    private var ending: TransportError?
    /// The last time when the device sent something or began to owe an answer.
    private(set) var lastSign = ContinuousClock.now
    /// The number of content bytes sent in requests that have not been answered yet.
    private(set) var bytesUp = 0
    /// The number of content bytes requested but not received yet.
    private(set) var bytesDown = 0
    /// Whether more bytes may have arrived than were read. OpenSSL may hold bytes that `poll` does not report.
    private(set) var mayHoldMore = false
    /// Whether sending has ended; answers are still received.
    private(set) var hasEndedSending = false
    /// Whether the socket was full when sending ended, so that requests may take a long time to arrive.
    private(set) var hasBacklog = false
    /// The last time when bytes moved in either direction.
    private(set) var lastMove = ContinuousClock.now
    /// The number of requests that may be in flight. The run that uses the channel sets it.
    var depth = 8
    /// The counts since `takeCounters`.
    private var counters = TransferCounters()
    /// Records each answered request; nil if requests are not traced.
    private let trace: DeviceTrace?

    private struct Pending {
        var packet: UInt64
        var slot: Int
        var up: Int
        var down: Int
        /// The largest size of the answer after its header, in bytes.
        var maximum: Int
        var job: AFCJob?
        var operation: AFCOperation
        /// The time when it was queued, if requests are traced.
        var start: ContinuousClock.Instant?
    }

    private var pending: [Pending] = []
    private var nextPacket: UInt64 = 1
    /// Handles of small files that need not be closed immediately.
    private var unclosed: [UInt64] = []
    /// The largest number of such handles: while files are read, and after a batch was read. The device closes the
    /// others while the caller uses the bytes.
    private static let maximumUnclosed = (reading: 24, idle: 8)
    /// Whether the device is short of handles, so that each is closed as soon as possible.
    private var closesAtOnce = false
    private var outgoing = OutgoingQueue()
    private var incoming = IncomingBuffer()

    init(_ connection: ServiceConnection, _ trace: DeviceTrace?) {
        self.connection = connection
        self.trace = trace?.observesFiles == true ? trace : nil
    }

    /// The number of answers that the device owes.
    var owed: Int { pending.count }

    /// The number of content bytes in flight in each direction from which no further content is sent or requested.
    /// With requests of 512 KiB there are at most two. A device answers requests one after another, and usbmuxd buffers
    /// 128 KiB, so a larger window would only use memory, and an interruption would discard more.
    private static let window = 768 << 10

    /// Whether one more request with content, or a request of a new job, may be sent.
    var hasRoom: Bool {
        failure == nil && !hasEndedSending && pending.count < depth && bytesUp < Self.window
            && bytesDown < Self.window
    }

    /// The events for which to poll the descriptor.
    var events: Int16 { Int16(hasUnsent ? POLLIN | POLLOUT : POLLIN) }

    var hasUnsent: Bool { !outgoing.isEmpty || connection.owesBytes }

    /// The number of content bytes moved in requests that are not completely answered: the sent bytes of writes, and
    /// the bytes of the answer that is being received.
    var contentUnderWay: Int {
        let up = max(0, bytesUp - outgoing.unsentContent)
        guard bytesDown > 0, let bytes = incoming.header(AFCHeader.size) else { return up }
        let number = UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        guard let entry = pending.first(where: { $0.packet == number }) else { return up }
        return up + min(entry.down, incoming.waiting - AFCHeader.size)
    }

    func takeCounters() -> TransferCounters {
        defer { counters = TransferCounters() }
        return counters
    }

    /// Marks the connection as unusable.
    func give(up error: TransportError) {
        if failure == nil { failure = error }
    }

    /// Queues a request. Its answer goes to `job` with `slot`. Without a job, the answer is dropped.
    ///
    /// - Parameter expecting: the largest size of the answer's data, in bytes.
    func send(_ request: AFCRequest, for job: AFCJob?, slot: Int = 0, expecting: Int = 0, down: Int = 0) {
        if hasEndedSending {
            job?.forgot(slot)
            return
        }
        do throws(WireError) {
            outgoing.append(try request.encode(packetNumber: nextPacket), packet: nextPacket)
        } catch {
            give(up: TransportError(.invalidArgument, error.message))
            return
        }
        note(request.operation, slot, up: 0, down: down, maximum: expecting, job)
    }

    /// Queues a FILE_WRITE. Its content is read just before it is sent.
    func sendWrite(
        handle: UInt64, _ content: ContentReader, at offset: UInt64, count: Int, for job: AFCJob, slot: Int
    ) {
        let header = AFCHeader(
            operation: .fileWrite, packetNumber: nextPacket, headerDataLength: 8, payloadLength: count)
        let head = [UInt8](unsafeUninitializedCapacity: AFCHeader.size + 8) { buffer, initialized in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            header.encode(into: memory)
            memory.storeBytes(of: handle.littleEndian, toByteOffset: AFCHeader.size, as: UInt64.self)
            initialized = memory.count
        }
        outgoing.append(head: head, content, at: offset, count: count, of: job, packet: nextPacket)
        note(.fileWrite, slot, up: count, down: 0, maximum: 0, job)
    }

    /// Closes a file that was only read. The answer is not needed. A small file may be closed later, together with
    /// others or by the end of the connection. If the device is short of handles, the answer goes to `job` with
    /// `slot`, so that the job ends when its handle is free.
    func close(_ handle: UInt64, isSmall: Bool, for job: AFCJob, slot: Int) {
        if closesAtOnce {
            send(.fileClose(handle: handle), for: job, slot: slot)
        } else if isSmall {
            unclosed.append(handle)
            closeSome(beyond: Self.maximumUnclosed.reading)
        } else {
            send(.fileClose(handle: handle), for: nil)
        }
    }

    /// Closes most of the files that were left open, without waiting for the answers.
    func endBatch() {
        closeSome(beyond: Self.maximumUnclosed.idle)
        flush()
    }

    private func closeSome(beyond most: Int) {
        while unclosed.count > most { send(.fileClose(handle: unclosed.removeFirst()), for: nil) }
    }

    /// Closes the files that were left open. From now on, each file is closed as soon as it was read.
    func closeAtOnce() {
        closesAtOnce = true
        for handle in unclosed { send(.fileClose(handle: handle), for: nil) }
        unclosed = []
    }

    private func note(
        _ operation: AFCOperation, _ slot: Int, up: Int, down: Int, maximum: Int, _ job: AFCJob?
    ) {
        if pending.isEmpty {
            lastSign = .now
            counters.roundTrips += 1
        }
        pending.append(
            Pending(
                packet: nextPacket, slot: slot, up: up, down: down, maximum: maximum, job: job,
                operation: operation, start: trace == nil ? nil : .now))
        nextPacket += 1
        counters.requests += 1
        bytesUp += up
        bytesDown += down
        job?.owed += 1
    }

    /// Removes requests that were not sent yet from the queue, if their jobs allow it.
    func takeBack() {
        let taken = outgoing.takeBack { packet in
            guard let entry = pending.first(where: { $0.packet == packet }), let job = entry.job else {
                return false
            }
            return job.mayForget(entry.slot)
        }
        for packet in taken {
            guard let index = pending.firstIndex(where: { $0.packet == packet }) else { continue }
            let entry = pending.remove(at: index)
            bytesUp -= entry.up
            bytesDown -= entry.down
            entry.job?.owed -= 1
            entry.job?.forgot(entry.slot)
        }
    }

    /// Stops sending, even in the middle of a request. The device carries out the requests that it has received
    /// completely and then closes the connection, which ends with `.closedByDevice`. Jobs are notified of requests
    /// that will not be carried out, but still count their answers as owed.
    func endSending() {
        hasEndedSending = true
        hasBacklog = hasUnsent
        let unsent = outgoing.discard()
        connection.endSending()
        for packet in unsent {
            guard let entry = pending.first(where: { $0.packet == packet }) else { continue }
            entry.job?.forgot(entry.slot)
        }
    }

    /// Whether `poll` has reported bytes. The run that uses the channel sets it.
    var isReadable = false

    /// Receives and sends as much as is possible without blocking.
    func serve() {
        if isReadable || mayHoldMore { fetch() }
        flush()
    }

    /// Sends as much as is possible without blocking.
    func flush() {
        while failure == nil, ending == nil, hasUnsent {
            var outcome = connection.readyToWrite()
            if case .moved = outcome, !outgoing.isEmpty {
                _ = outgoing.send { bytes in
                    outcome = connection.writeNow(bytes)
                    return if case .moved(let count) = outcome { count } else { 0 }
                }
            }
            switch outcome {
            case .moved(let count):
                counters.bytesSent += UInt64(count)
                lastMove = .now
            case .wouldBlock: return
            case .closed: end(.closedByDevice)
            case .failed(let error): end(error)
            }
        }
    }

    /// Reads the bytes that have arrived into the buffer, as far as there is room.
    func fetch() {
        mayHoldMore = false
        while failure == nil {
            switch connection.read(into: incoming.space()) {
            case .moved(let count):
                counters.bytesReceived += UInt64(count)
                lastSign = .now
                lastMove = lastSign
                incoming.filled(count)
                guard incoming.hasRoom else {
                    mayHoldMore = true
                    return
                }
            case .wouldBlock: return
            case .closed: return end(.closedByDevice)
            case .failed(let error): return end(error)
            }
        }
    }

    /// Records that the connection ended. Answers that arrived before are delivered first.
    private func end(_ error: TransportError) {
        if ending == nil { ending = error }
    }

    /// Reads the bytes that have arrived, and passes complete answers to their jobs.
    func receive() {
        // Limited, so that a device that never stops sending cannot block the caller.
        for _ in 0..<64 {
            fetch()
            deliver()
            guard mayHoldMore, failure == nil else { return }
        }
    }

    /// Passes complete answers to their jobs, and reports content that could not be read.
    func deliver() {
        for (job, error) in outgoing.takeFailures() { job.contentFailed(error, on: self) }
        deliverAnswers()
        if let ending { give(up: ending) }
    }

    private func deliverAnswers() {
        while failure == nil, let bytes = incoming.header(AFCHeader.size) {
            let header: AFCHeader
            do throws(WireError) {
                header = try AFCHeader(decoding: bytes, maximumLength: 1 << 40)
            } catch {
                return give(up: .violation(error.message))
            }
            guard let index = pending.firstIndex(where: { $0.packet == header.packetNumber }) else {
                return give(
                    up: .violation(
                        "The device answered request \(header.packetNumber), which was not sent."))
            }
            // Newer systems may append bytes to a status. Only requested data may be large.
            guard header.bodyLength <= max(pending[index].maximum, 256) else {
                return give(
                    up: .violation("The device announced \(header.bodyLength) bytes, more than requested."))
            }
            guard let packet = incoming.packet(header.entireLength) else { return }
            let entry = pending.remove(at: index)
            bytesUp -= entry.up
            bytesDown -= entry.down
            let body = UnsafeRawBufferPointer(rebasing: packet[AFCHeader.size...])
            entry.job?.owed -= 1
            guard let answer = Self.answer(header.operation, body) else {
                return give(up: .violation("The device sent \(header.operation) as an answer."))
            }
            if let start = entry.start {
                var status: AFCStatus?
                if case .status(let code) = answer { status = code }
                trace?.answered(entry.operation, at: start, status)
            }
            if let job = entry.job { job.take(answer, slot: entry.slot, on: self) }
            incoming.consume(header.entireLength)
        }
    }

    private static func answer(_ operation: AFCOperation, _ body: UnsafeRawBufferPointer) -> BorrowedReply? {
        if operation == .data { return .data(body) }
        guard body.count >= 8 else { return nil }
        let number = UInt64(littleEndian: body.loadUnaligned(as: UInt64.self))
        switch operation {
        case .status: return .status(AFCStatus(rawValue: number))
        case .fileOpenResult: return number == 0 ? nil : .handle(number)
        case .fileTellResult: return .position(number)
        default: return nil
        }
    }
}

extension TransportError {
    static var closedByDevice: TransportError {
        TransportError(.connectionLost, "The device closed the connection.", hint: reconnectHint)
    }

    /// The error for a change whose answer was lost with the connection.
    static var endedUnanswered: TransportError {
        TransportError(
            .connectionLost, "The connection ended before the device answered.", hint: "Try again.")
    }
}
