import DeviceWire
import Platform

/// Writes a file under a temporary name, verifies it, and renames it.
///
/// Opens the temporary file, sends all writes, close and stat at once, and then renames. On failure, the temporary
/// file is closed and removed. If the connection ends before the rename is answered, the job checks over another
/// connection whether it was carried out. If the device lacks resources for a request after the writes, the job
/// begins again with that request. If the content has a digest, an interrupted job keeps what it has written (see
/// `PushJob+Continuing.swift`).
final class PushJob: AFCJob {
    enum Slot {
        static let target = 0
        static let folder = 1
        static let open = 2
        static let write = 3
        static let close = 4
        static let time = 5
        static let check = 6
        static let rename = 7
        static let replace = 8
        static let cleanup = 9
        static let reopen = 10
        static let reread = 11
        static let left = 12
        static let placed = 13
        static let removal = 14
        static let former = 15
        static let partial = 16
        static let review = 17
        static let seek = 18
        static let ended = 19
    }

    enum Phase {
        case opening
        /// The file of an earlier job is being compared with the content.
        case reviewing
        case writing
        case checking
        case comparing
        /// The temporary file is complete and verified. Only the rename is missing.
        case verified
        case renaming
        case looking
        case cleaning
        case ended
    }

    let path: DevicePath
    /// The name of the file while it is written. A repeated upload uses another name, because a late open over the
    /// lost connection would truncate the file with the first name.
    private(set) var temporary: String
    /// The temporary name that no other job may use at the same time.
    let reserved: String
    /// Whether the temporary file is kept if the job is interrupted. An earlier job may have begun it.
    let isContinued: Bool
    /// The file of an earlier job, once the device has reported it.
    var partial: PartialUpload?
    /// Whether a write request has failed, or its content could not be read.
    var hasFailedWrite = false
    /// The temporary file that the first attempt may have left.
    private(set) var former: String?
    let options: WriteOptions
    let chunk: Int
    let meter: ProgressMeter
    private let source: UploadSource
    private let budget: LocalFileBudget
    private let context: OperationContext
    var content: ContentReader?
    var phase = Phase.opening
    var handle: UInt64?
    /// The number of bytes passed to the connection.
    var sent: UInt64 = 0
    /// The number of bytes that the device has acknowledged.
    var acknowledged: UInt64 = 0
    private var announced: Int64 = 0
    private var writes: [Int] = []
    private var madeFolders = false
    var removedTarget = false
    /// The reason why the old file could not be removed, on a device that does not replace files.
    var refusal: TransportError?
    /// Whether the device lacked resources to remove the old file.
    var removalWasHeldBack = false
    var hasTemporary = false
    /// Whether an open that creates the temporary file is in flight.
    private var awaitsOpen = false
    private(set) var status: FileStatus?
    var readDigest: Digest?
    var reread: UInt64 = 0
    /// Whether a rename was sent and its result is unknown.
    var isInDoubt = false
    /// The number of times the job checked the result.
    var looks = 0
    /// The status of the temporary file when it was last checked.
    var left: FileStatus?

    init(
        _ index: Int, _ request: PushRequest, _ path: DevicePath, partial: String?, chunk: Int,
        _ meter: ProgressMeter, _ budget: LocalFileBudget, _ context: OperationContext
    ) {
        isContinued = partial != nil
        reserved = partial ?? path.temporarySibling
        self.budget = budget
        self.context = context
        self.path = path
        temporary = reserved
        options = request.options
        source = request.source
        self.chunk = chunk
        self.meter = meter
        super.init(index: index)
    }

    override var subject: String { path.text }
    override var doubt: String? { isInDoubt ? "the new file may be in its place" : nil }
    override var leavesTraces: Bool { !isContinued && (hasTemporary || awaitsOpen) }
    override var remains: String? {
        leavesTraces && phase != .renaming && !removedTarget ? temporary : nil
    }
    override var formerRemains: String? { former }
    override func remainsOfLoss() -> String? {
        // The rename was lost with the connection, so it is no longer in flight.
        if phase == .renaming { phase = .looking }
        return remains
    }
    override func remainsAreGone(wereThere: Bool, forGood: Bool) {
        hasTemporary = false
        if forGood { awaitsOpen = false }
        // If the file still had its temporary name, it was not renamed.
        if wereThere { isInDoubt = false }
    }

    override func begin(on channel: AFCChannel) {
        switch phase {
        case .checking: return check(on: channel)
        case .comparing: return beginComparing(on: channel)
        case .verified: return rename(on: channel)
        case .looking: return requestInfo(on: channel)
        case .opening, .reviewing, .writing, .renaming, .cleaning, .ended: break
        }
        do throws(TransportError) {
            let content = try ContentReader(
                source, digesting: options.verification == .contents, budget, context)
            self.content = content
            announced = Int64(clamping: content.size)
            meter.expects(announced)
        } catch {
            fail(error)
            // An earlier attempt over a lost connection may have left a file.
            return cleanUp(on: channel)
        }
        if !options.replacesExisting {
            channel.send(
                .getFileInfo(path: path.text), for: self, slot: Slot.target,
                expecting: RequestJob.maximumListing)
        }
        if isContinued {
            requestPartialInfo(on: channel)
        } else if wasRepeated {
            takeSecondName()
        }
        open(on: channel)
    }

    /// Switches to the second temporary name. The file with the first name is removed at the end, so that nothing
    /// depends on its removal.
    private func takeSecondName() {
        // A job that begins again for lack of resources has already switched.
        if hasTemporary, temporary == path.temporarySibling { former = temporary }
        hasTemporary = hasTemporary && temporary == path.secondTemporarySibling
        temporary = path.secondTemporarySibling
    }

    func removeFormer(on channel: AFCChannel) {
        if let former { channel.send(.removePath(path: former), for: self, slot: Slot.former) }
        former = nil
    }

    private func open(on channel: AFCChannel) {
        awaitsOpen = true
        // Opening the file of an earlier job must not truncate it, not even late over a lost connection.
        let mode = isContinued ? AFCOpenMode.readWrite : .write
        channel.send(.fileOpen(path: temporary, mode: mode.rawValue), for: self, slot: Slot.open)
    }

    override func advance(on channel: AFCChannel) {
        switch phase {
        case .reviewing: review(on: channel)
        case .writing: write(on: channel)
        case .comparing: compare(on: channel)
        default: break
        }
    }

    func write(on channel: AFCChannel) {
        guard let handle, let content, failure == nil else { return }
        while sent < content.size, channel.hasRoom {
            let count = Int(min(UInt64(chunk), content.size - sent))
            channel.sendWrite(handle: handle, content, at: sent, count: count, for: self, slot: Slot.write)
            writes.append(count)
            sent += UInt64(count)
        }
        guard sent == content.size else { return }
        phase = .checking
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: self, slot: Slot.close)
        check(on: channel)
    }

    /// Sets the time of the temporary file, which is closed, and requests its size.
    private func check(on channel: AFCChannel) {
        if let modified = options.modified {
            channel.send(
                .setFileModTime(path: temporary, nanoseconds: UInt64(clamping: modified)), for: self,
                slot: Slot.time)
        }
        channel.send(
            .getFileInfo(path: temporary), for: self, slot: Slot.check, expecting: RequestJob.maximumListing)
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        switch slot {
        case Slot.target: takeTarget(answer)
        case Slot.folder:
            // The following open shows whether the folder exists.
            if answer.meansShortage, failure == nil { holdBack(answer) }
        case Slot.open: takeOpen(answer, on: channel)
        case Slot.write: takeWrite(answer)
        case Slot.close: if let error = answer.failure(subject) { fail(error) }
        case Slot.time:
            if answer.meansShortage, failure == nil {
                holdBack(answer)
                break
            }
            // A device that cannot set times still stores the file.
            if case .status(let status) = answer, !status.meansUnsupported,
                let error = answer.failure(subject)
            {
                fail(error)
            }
        case Slot.check: takeCheck(answer, on: channel)
        case Slot.rename: takeRename(answer, on: channel)
        case Slot.replace: takeReplacement(answer)
        case Slot.reopen: takeReopen(answer, on: channel)
        case Slot.reread: takeReread(answer, on: channel)
        case Slot.left: takeLeft(answer)
        case Slot.placed: takePlaced(answer, on: channel)
        case Slot.removal: takeRemoval(answer)
        case Slot.partial: takePartialInfo(answer, on: channel)
        case Slot.review: takeReview(answer, on: channel)
        case Slot.seek:
            if let error = answer.failure(subject) {
                // Later writes went to wrong positions.
                hasFailedWrite = true
                fail(error)
            }
        case Slot.ended: takeEnded(answer, on: channel)
        default: break
        }
        if failure != nil { cleanUp(on: channel) }
    }

    private func takeTarget(_ answer: BorrowedReply) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        switch answer {
        case .data: fail(TransportError(.exists, "A file with this name already exists."))
        case .status(.objectNotFound): break
        default: if let error = answer.failure(subject) { fail(error) }
        }
    }

    private func takeOpen(_ answer: BorrowedReply, on channel: AFCChannel) {
        awaitsOpen = false
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        if heldBack != nil, failure == nil {
            // The job begins again, with another open of the same file.
            guard case .handle(let handle) = answer else { return }
            hasTemporary = true
            return channel.send(.fileClose(handle: handle), for: self, slot: Slot.cleanup)
        }
        if case .status(.objectNotFound) = answer, options.makesFolders, !madeFolders, failure == nil {
            madeFolders = true
            for folder in path.ancestors {
                channel.send(.makeDirectory(path: folder), for: self, slot: Slot.folder)
            }
            return open(on: channel)
        }
        do throws(TransportError) {
            handle = try answer.handle(subject)
            hasTemporary = true
            if isContinued { goOn(on: channel) } else if phase == .opening { phase = .writing }
        } catch {
            fail(error)
        }
    }

    private func takeWrite(_ answer: BorrowedReply) {
        let count = writes.isEmpty ? 0 : writes.removeFirst()
        if let error = answer.failure(subject) {
            hasFailedWrite = true
            return fail(error)
        }
        acknowledged += UInt64(count)
        meter.moved(count, of: index)
    }

    override func contentFailed(_ error: TransportError, on channel: AFCChannel) {
        hasFailedWrite = true
        fail(error)
        cleanUp(on: channel)
    }

    private func takeCheck(_ answer: BorrowedReply, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        guard failure == nil, heldBack == nil, phase == .checking, let content else { return }
        do throws(TransportError) {
            let status = try FileStatus(answer, subject)
            guard status.kind == .file, status.size == content.size else {
                throw TransportError(
                    .verificationFailed, "The device has \(status.size) of \(content.size) bytes.",
                    hint: "Try again. If it fails again, check whether the device is full.")
            }
            self.status = status
        } catch {
            return fail(error)
        }
        if options.verification == .contents { beginComparing(on: channel) } else { rename(on: channel) }
    }

    func end() {
        if phase != .cleaning { phase = .ended }
        content = nil
        done()
    }

    override func abandon(_ error: TransportError, on channel: AFCChannel) {
        // Wait for a rename in flight, because it decides whether the file is in its place.
        guard phase != .renaming else { return }
        fail(error)
        cleanUp(on: channel)
    }

    override func mayForget(_ slot: Int) -> Bool {
        switch slot {
        // Requests that close or remove must be sent in any case.
        case Slot.close, Slot.replace, Slot.cleanup, Slot.removal, Slot.former: false
        // If the old file may be gone, the new file must get its name.
        case Slot.rename: !removedTarget
        default: true
        }
    }

    override func forgot(_ slot: Int) {
        switch slot {
        case Slot.open: awaitsOpen = false
        // Requests are removed from the end of the queue.
        case Slot.write: if let count = writes.popLast() { sent -= UInt64(count) }
        case Slot.replace: removedTarget = false
        // The file keeps its temporary name, under which it can be removed.
        case Slot.rename:
            isInDoubt = false
            if phase == .renaming { phase = .checking }
        default: break
        }
    }

    override func drop(_ error: TransportError) {
        content = nil
        // The file is in its place. Removing the file of the first attempt is not essential.
        guard phase != .ended || failure != nil else { return owed = 0 }
        super.drop(error)
        if leavesTraces, error.code != .deviceGone {
            failure?.hint =
                if removedTarget {
                    "The complete new file may be on the device as \(temporary)."
                } else if isInDoubt {
                    "If not, \(temporary) may be left\(isReplacedNextTime)"
                } else {
                    "An unfinished copy may be left as \(temporary)\(isReplacedNextTime)"
                }
        }
    }

    private var isReplacedNextTime: String {
        temporary == path.temporarySibling ? "; sending the file again replaces it." : "."
    }

    override var wantsLook: Bool { phase == .renaming && looks == 0 }

    override func reset() -> Bool {
        if heldBack != nil {
            switch phase {
            case .checking, .comparing, .verified: return true
            case .looking:
                // The check has not happened.
                looks -= 1
                return true
            case .opening, .reviewing, .writing, .renaming, .cleaning, .ended: break
            }
        }
        if phase == .renaming {
            // Check whether the rename was carried out.
            phase = .looking
            return true
        }
        guard phase != .looking, phase != .cleaning, phase != .ended else { return false }
        meter.moved(-Int(clamping: acknowledged), of: index)
        meter.expects(-announced)
        phase = .opening
        handle = nil
        // An unanswered open may have been carried out.
        if awaitsOpen { hasTemporary = true }
        awaitsOpen = false
        content = nil
        sent = 0
        acknowledged = 0
        announced = 0
        partial = nil
        hasFailedWrite = false
        writes = []
        madeFolders = false
        status = nil
        readDigest = nil
        reread = 0
        return true
    }

    /// The status of the file on the device, or the failure.
    func result() -> TransferResult<FileStatus> {
        if let failure { return .failure(failure) }
        guard let status else {
            return .failure(TransportError(.internalFailure, "The file was not checked.", subject: subject))
        }
        return .success(status)
    }
}
