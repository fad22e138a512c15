import DeviceWire

/// Reads a file, or a part of it, and passes the bytes on in order.
///
/// Opens the file, sends all reads at once, and closes without waiting for the answer. The size comes from a stat
/// that is sent with the open, or from the caller. If it comes from the caller, one more byte is requested, to detect
/// a file that has grown. Such a file is read up to the size that a new stat reports, and no further: a file that
/// grows while it is read has no end. A job that verifies the size requests the status of a file that is shorter too.
class ReadJob: AFCJob {
    private enum Slot {
        static let stat = 0
        static let open = 1
        static let seek = 2
        static let read = 3
        static let close = 4
    }

    private enum Goal {
        /// A part of the file.
        case range(Range<UInt64>)
        /// The complete file, whose size the caller knows.
        case expected(UInt64)
        /// The complete file, whose size the device is asked for.
        case whole
    }

    let path: String
    private let goal: Goal
    private let limit: UInt64
    private let chunk: Int
    private let once: Bool
    private let meter: ProgressMeter
    private var handle: UInt64?
    private(set) var status: FileStatus?
    /// The total number of bytes to request.
    private var wanted: UInt64?
    /// The number of bytes requested, minus those that were missing from answers.
    private var asked: UInt64 = 0
    /// The number of bytes that were passed on.
    private(set) var delivered: UInt64 = 0
    private var readsUnderWay: [UInt64] = []
    private var reachedEnd = false
    private var isClosing = false
    /// Whether the status of a file that differs from the expected size is being requested.
    private var isLooking = false
    /// Whether more bytes arrived than the caller expected.
    private var hasGrown = false
    /// The reason why a file of an expected size could not be opened.
    private var refusal: TransportError?
    private var announced: Int64 = 0

    init(_ index: Int, _ request: FileReadRequest, chunk: Int, _ meter: ProgressMeter) {
        path = request.path
        limit = UInt64(max(request.limit, 0))
        self.chunk = chunk
        once = request.once && request.range != nil
        self.meter = meter
        goal =
            if let range = request.range {
                .range(range)
            } else if let size = request.expectedSize, size < 1 << 62 {
                .expected(size)
            } else { .whole }
        super.init(index: index)
    }

    override var subject: String { path }

    /// Whether the read is so short that requests take more time than the bytes.
    private var isSmall: Bool {
        switch goal {
        case .range(let range): range.upperBound - range.lowerBound <= Self.small
        case .expected(let size): size <= Self.small
        case .whole: limit <= Self.small
        }
    }

    /// The largest number of bytes of a short read.
    private static let small: UInt64 = 256 << 10

    /// Processes the next bytes. Returns the error if that fails.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> TransportError? { nil }

    /// Whether a file that does not have the expected number of bytes must match its size on the device.
    var verifiesSize: Bool { false }

    /// Called before the first bytes. Returns the error if they cannot be stored.
    func prepare() -> TransportError? { nil }

    /// The number of bytes at the beginning of the file that already exist locally and are not read. Called after
    /// `prepare`, and only for complete files.
    func alreadyThere() -> UInt64 { 0 }

    /// Called once after all bytes were passed on.
    func complete() {}

    /// Discards the bytes that were passed on. Returns false if that is impossible.
    func restart() -> Bool { true }

    override final func begin(on channel: AFCChannel) {
        switch goal {
        case .whole: requestInfo(on: channel)
        case .expected(let size): want(size + 1)
        case .range(let range): want(range.upperBound - range.lowerBound)
        }
        channel.send(.fileOpen(path: path, mode: AFCOpenMode.read.rawValue), for: self, slot: Slot.open)
    }

    /// Requests the status of the file.
    private func requestInfo(on channel: AFCChannel) {
        channel.send(
            .getFileInfo(path: path), for: self, slot: Slot.stat, expecting: RequestJob.maximumListing)
    }

    /// One byte more than allowed, to detect a file that is larger.
    private var beyondLimit: UInt64 { limit == .max ? .max : limit + 1 }

    private func want(_ count: UInt64) {
        wanted = count
        let content = if case .expected(let size) = goal { size } else { count }
        announce(content)
        if case .range = goal, count > limit {
            // A range may extend beyond the end of the file, so the limit is checked against the bytes that arrive.
            wanted = min(count, beyondLimit)
        }
    }

    /// Tells the meter how many bytes to expect in total.
    private func announce(_ count: UInt64) {
        let content = Int64(clamping: min(count, limit))
        meter.expects(content - announced)
        announced = content
    }

    override final func advance(on channel: AFCChannel) {
        guard let handle, failure == nil, !isClosing, !isLooking else { return }
        if case .expected(let size) = goal, !reachedEnd, delivered > size, status == nil {
            (hasGrown, isLooking) = (true, true)
            return requestInfo(on: channel)
        }
        guard let wanted else { return }
        while !reachedEnd, asked < wanted, channel.hasRoom, !once || readsUnderWay.isEmpty {
            let count = min(UInt64(chunk), wanted - asked)
            channel.send(
                .fileRead(handle: handle, length: count), for: self, slot: Slot.read, expecting: Int(count),
                down: Int(count))
            readsUnderWay.append(count)
            asked += count
        }
        if readsUnderWay.isEmpty, reachedEnd || asked >= wanted { finish(on: channel) }
    }

    override final func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        switch slot {
        case Slot.stat:
            takeStatus(answer)
            if isLooking, failure == nil, heldBack == nil {
                isLooking = false
                if !hasGrown { finish(on: channel) }
            }
        case Slot.open: takeHandle(answer, on: channel)
        case Slot.seek: if let error = answer.failure(path) { fail(error) }
        case Slot.close: break  // everything was already read
        default: takeBytes(answer)
        }
        if failure != nil || heldBack != nil { close(on: channel) }
    }

    private func takeStatus(_ answer: BorrowedReply) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            let status = try FileStatus(answer, path)
            self.status = status
            if status.kind == .folder { return fail(TransportError(.isFolder, "This is a folder.")) }
            if let refusal { return fail(refusal) }
            if isLooking, !hasGrown { return }
            // The size of a link is not that of its target, so the target is read to its end.
            let size = status.kind == .file ? status.size : limit
            guard size <= limit else {
                return fail(
                    TransportError(.tooLarge, "The file has \(size) bytes, more than the \(limit) allowed."))
            }
            if status.kind != .file {
                wanted = beyondLimit
            } else if hasGrown {
                // One more byte, to detect a file that is still growing.
                wanted = size + 1
                announce(size)
            } else {
                want(size)
            }
        } catch {
            fail(error)
        }
    }

    private func takeHandle(_ answer: BorrowedReply, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            handle = try answer.handle(path)
        } catch {
            // Devices answer differently for a folder.
            guard case .expected = goal, verifiesSize, error.code != .notFound else { return fail(error) }
            refusal = error
            return requestInfo(on: channel)
        }
        guard failure == nil, heldBack == nil else { return }
        if let error = prepare() { return fail(error) }
        switch goal {
        case .range(let range): seek(to: range.lowerBound, on: channel)
        case .whole:
            let known = alreadyThere()
            (asked, delivered) = (known, known)
            meter.moved(Int(clamping: known), of: index)
            seek(to: known, on: channel)
        case .expected: break
        }
    }

    private func seek(to offset: UInt64, on channel: AFCChannel) {
        guard offset > 0, let handle else { return }
        channel.send(
            .fileSeek(
                handle: handle, origin: AFCSeekOrigin.start.rawValue, offset: Int64(clamping: offset)),
            for: self, slot: Slot.seek)
    }

    private func takeBytes(_ answer: BorrowedReply) {
        let count = readsUnderWay.isEmpty ? 0 : readsUnderWay.removeFirst()
        guard failure == nil else { return }
        if case .status(.endOfData) = answer {
            reachedEnd = true
            asked -= min(count, asked)
            return
        }
        do throws(TransportError) {
            let bytes = try answer.data(path)
            asked -= min(count - min(UInt64(bytes.count), count), asked)
            guard !bytes.isEmpty else {
                reachedEnd = true
                return
            }
            if once { reachedEnd = true }
            guard delivered + UInt64(bytes.count) <= limit else {
                return fail(TransportError(.tooLarge, "The file has more than the \(limit) bytes allowed."))
            }
            if let error = deliver(bytes) { return fail(error) }
            delivered += UInt64(bytes.count)
            meter.moved(bytes.count, of: index)
            // A short answer that completes a file of known size marks its end.
            if delivered == knownSize, UInt64(bytes.count) < count { reachedEnd = true }
        } catch {
            fail(error)
        }
    }

    /// The size of the complete file: that of its status, or else the expected one.
    private var knownSize: UInt64? {
        if let status, status.kind == .file { return status.size }
        return if case .expected(let size) = goal { size } else { nil }
    }

    private func finish(on channel: AFCChannel) {
        if case .expected(let size) = goal, verifiesSize, delivered != size, status == nil {
            isLooking = true
            return requestInfo(on: channel)
        }
        close(on: channel)
        // Only complete files are checked.
        if let status, status.kind == .file, delivered != status.size {
            return fail(
                TransportError(
                    .verificationFailed,
                    delivered > status.size
                        ? "The file grew on the device while it was being read: it has more than "
                            + "\(status.size) bytes."
                        : "The file changed on the device while it was being read: \(delivered) of "
                            + "\(status.size) bytes arrived.",
                    hint: "Make sure that the app is not changing the file, and run the command again."))
        }
        if delivered != UInt64(clamping: announced) { announce(delivered) }
        complete()
    }

    private func close(on channel: AFCChannel) {
        if let handle { channel.close(handle, isSmall: isSmall, for: self, slot: Slot.close) }
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
        guard restart() else { return false }
        meter.moved(-Int(clamping: delivered), of: index)
        meter.expects(-announced)
        handle = nil
        status = nil
        wanted = nil
        asked = 0
        delivered = 0
        announced = 0
        readsUnderWay = []
        reachedEnd = false
        isClosing = false
        isLooking = false
        hasGrown = false
        refusal = nil
        return true
    }
}
