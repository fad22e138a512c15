import DeviceWire

/// Reads the beginning, the end and the status of a file.
///
/// Sends stat and open together, then the reads of both ends, so it takes two round trips.
final class EndsJob: RangesJob {
    /// The slots of `RangesJob` count up from 0, so this one does not collide with them.
    private static let statSlot = -1

    private let head: Int
    private let tail: Int
    private var status: FileStatus?

    init(_ index: Int, _ path: String, head: Int, tail: Int, chunk: Int, _ meter: ProgressMeter) {
        self.head = head
        self.tail = tail
        super.init(index, path, chunk: chunk, meter)
    }

    /// The bytes that were read, or the failure. The job gives up its own reference to the bytes.
    func result() -> TransferResult<FileEnds> {
        if let failure { return .failure(failure) }
        guard let status else {
            return .failure(TransportError(.internalFailure, "The file's size is unknown."))
        }
        let bytes = takeBytes()
        guard bytes.count == 1 else {
            return .success(FileEnds(status: status, head: bytes.first ?? [], tail: bytes.last ?? []))
        }
        return .success(
            FileEnds(
                status: status, head: Array(bytes[0].prefix(head)), tail: Array(bytes[0].dropFirst(head))))
    }

    override func begin(on channel: AFCChannel) {
        channel.send(
            .getFileInfo(path: path), for: self, slot: Self.statSlot, expecting: RequestJob.maximumListing)
        super.begin(on: channel)
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        guard slot == Self.statSlot else { return super.take(answer, slot: slot, on: channel) }
        do throws(TransportError) {
            if answer.meansShortage, failure == nil {
                holdBack(answer)
            } else {
                try plan(FileStatus(answer, path))
            }
        } catch {
            fail(error)
        }
        goOn(on: channel)
    }

    /// Determines what to read: all of a short file, or both ends of a longer one.
    private func plan(_ status: FileStatus) throws(TransportError) {
        guard status.kind == .file else {
            throw status.kind == .folder
                ? TransportError(.isFolder, "This is a folder.")
                : TransportError(.notFound, "This is not a file.")
        }
        self.status = status
        let (head, tail) = (UInt64(head), UInt64(tail))
        want(
            status.size <= head + tail
                ? [0..<status.size] : [0..<head, status.size - tail..<status.size])
    }

    override var keepsRanges: Bool { false }

    override func reset() -> Bool {
        status = nil
        return super.reset()
    }
}
