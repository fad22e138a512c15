/// A queue of bytes to send. Small requests are collected. The content of a large write is read only just before it
/// is sent, one window at a time.
struct OutgoingQueue {
    /// The number of bytes sent at once: two full TLS records.
    static let window = 32 << 10

    private enum Piece {
        case gathered(Gathering)
        case content(ContentPiece)
    }

    private var pieces: [Piece] = []
    private var spare: Gathering?
    private var failures: [(job: AFCJob, error: TransportError)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The number of content bytes that were not sent yet.
    var unsentContent: Int {
        pieces.reduce(0) { sum, piece in
            if case .content(let piece) = piece { sum + piece.unsentContent } else { sum }
        }
    }

    /// Adds a small request.
    mutating func append(_ bytes: [UInt8], packet: UInt64) {
        count += bytes.count
        if case .gathered(let last)? = pieces.last, last.room >= bytes.count {
            return last.append(bytes, packet)
        }
        let gathering =
            if let spare, spare.room >= bytes.count { spare } else { Gathering(capacity: bytes.count) }
        spare = nil
        gathering.append(bytes, packet)
        pieces.append(.gathered(gathering))
    }

    /// Adds a head and its content. Content that cannot be read is sent as zeros, because the head has announced its
    /// length. `takeFailures` then returns the reason.
    mutating func append(
        head: [UInt8], _ content: ContentReader, at offset: UInt64, count contentCount: Int, of job: AFCJob,
        packet: UInt64
    ) {
        count += head.count + contentCount
        let piece = ContentPiece(
            head, content, at: offset, count: contentCount, of: job, packet: packet)
        pieces.append(.content(piece))
    }

    /// Removes requests that may be dropped and of which no byte was sent. Returns their numbers.
    mutating func takeBack(_ mayForget: (UInt64) -> Bool) -> [UInt64] {
        var taken: [UInt64] = []
        pieces.removeAll { piece in
            switch piece {
            case .gathered(let gathering):
                count -= gathering.takeBack(mayForget, &taken)
                return gathering.unsent.isEmpty
            case .content(let piece):
                guard piece.isUntouched, mayForget(piece.packet) else { return false }
                taken.append(piece.packet)
                count -= piece.count
                return true
            }
        }
        return taken
    }

    /// Empties the queue. Returns the numbers of the requests that were not completely sent, in order.
    mutating func discard() -> [UInt64] {
        defer { self = OutgoingQueue() }
        return pieces.flatMap { piece in
            switch piece {
            case .gathered(let gathering): gathering.unfinished
            case .content(let piece): [piece.packet]
            }
        }
    }

    /// The jobs whose content could not be read since the last call, with the reasons.
    mutating func takeFailures() -> [(job: AFCJob, error: TransportError)] {
        defer { failures = [] }
        return failures
    }

    /// Passes the next bytes to `write`, which returns how many it sent. Returns that number.
    mutating func send(_ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        guard let first = pieces.first else { return 0 }
        let sent: Int
        let isDone: Bool
        switch first {
        case .gathered(let gathering):
            sent = write(gathering.unsent)
            isDone = gathering.advance(sent)
            if isDone, spare == nil { spare = gathering }
        case .content(let piece):
            sent = piece.send(write)
            isDone = piece.isDone
            if let error = piece.takeFailure() { failures.append((piece.job, error)) }
        }
        count -= sent
        if isDone { pieces.removeFirst() }
        return sent
    }

    /// Several small requests in one buffer.
    private final class Gathering {
        private let memory: UnsafeMutableRawBufferPointer
        private var start = 0
        private var end = 0
        /// The requests in the buffer, with the end of each.
        private var packets: [(number: UInt64, end: Int)] = []

        init(capacity: Int) {
            memory = .allocate(byteCount: max(capacity, OutgoingQueue.window), alignment: 16)
        }

        deinit { memory.deallocate() }

        var room: Int { memory.count - end }
        /// The requests that were not completely sent.
        var unfinished: [UInt64] { packets.filter { $0.end > start }.map(\.number) }
        var unsent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

        func append(_ bytes: [UInt8], _ packet: UInt64) {
            UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyBytes(from: bytes)
            end += bytes.count
            packets.append((packet, end))
        }

        /// Removes requests that may be dropped and of which no byte was sent. Adds their numbers to `taken` and
        /// returns their total length.
        func takeBack(_ mayForget: (UInt64) -> Bool, _ taken: inout [UInt64]) -> Int {
            var (from, kept) = (0, 0)
            packets = packets.compactMap { packet in
                defer { from = packet.end }
                if from >= start, mayForget(packet.number) {
                    taken.append(packet.number)
                    return nil
                }
                let bytes = UnsafeRawBufferPointer(rebasing: memory[from..<packet.end])
                if kept != from {
                    UnsafeMutableRawBufferPointer(rebasing: memory[kept...]).copyMemory(from: bytes)
                }
                kept += bytes.count
                return (packet.number, kept)
            }
            defer { end = kept }
            return end - kept
        }

        /// Records that bytes were sent. Returns whether all were.
        func advance(_ sent: Int) -> Bool {
            start += sent
            guard start >= end else { return false }
            (start, end) = (0, 0)
            packets.removeAll(keepingCapacity: true)
            return true
        }
    }
}

/// A head with content that is read window by window.
private final class ContentPiece {
    private let head: [UInt8]
    private let content: ContentReader
    private let offset: UInt64
    private let contentCount: Int
    let packet: UInt64
    let job: AFCJob
    private var sent = 0
    private var isBroken = false
    private var failure: TransportError?

    init(
        _ head: [UInt8], _ content: ContentReader, at offset: UInt64, count: Int, of job: AFCJob,
        packet: UInt64
    ) {
        self.packet = packet
        self.head = head
        self.content = content
        self.offset = offset
        contentCount = count
        self.job = job
    }

    /// The number of bytes of the head and the content.
    var count: Int { head.count + contentCount }
    var isDone: Bool { sent == count }
    var isUntouched: Bool { sent == 0 }
    /// The number of content bytes that were not sent.
    var unsentContent: Int { contentCount - max(sent - head.count, 0) }

    func takeFailure() -> TransportError? {
        defer { failure = nil }
        return failure
    }

    func send(_ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        let leading = max(head.count - sent, 0)
        let position = max(sent - head.count, 0)
        let wanted = min(OutgoingQueue.window - leading, contentCount - position)
        let moved =
            if leading == 0, !isBroken, let moved = content.lend(offset + UInt64(position), wanted, write) {
                moved
            } else {
                withUnsafeTemporaryAllocation(byteCount: leading + wanted, alignment: 16) { buffer in
                    buffer.copyBytes(from: head.suffix(leading))
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[leading...])
                    fetch(position, into: rest)
                    let moved = write(UnsafeRawBufferPointer(buffer))
                    if moved > leading, !isBroken {
                        content.count(UnsafeRawBufferPointer(rebasing: rest[..<(moved - leading)]))
                    }
                    return moved
                }
            }
        sent += moved
        return moved
    }

    private func fetch(_ position: Int, into buffer: UnsafeMutableRawBufferPointer) {
        do throws(TransportError) {
            if !isBroken { return try content.read(at: offset + UInt64(position), into: buffer) }
        } catch {
            isBroken = true
            failure = error
        }
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
