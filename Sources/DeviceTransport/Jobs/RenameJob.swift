import DeviceWire

/// Renames a file or folder.
///
/// If the connection ends before the answer, the job checks both names over another connection. If only the new name
/// exists, the rename was carried out. It is repeated only if the new name is free, because another program may have
/// used the name in the meantime.
final class RenameJob: AFCJob {
    private enum Slot {
        static let rename = 0
        static let old = 1
        static let new = 2
    }

    private let path: String
    private let newPath: String
    /// Whether a rename was sent and its result is unknown.
    private var isInDoubt = false
    private var isLooking = false
    private var looks = 0
    /// Whether the last check found the old name.
    private var hasOld = false

    init(_ path: String, to newPath: String) {
        self.path = path
        self.newPath = newPath
        super.init(index: 0)
    }

    override var subject: String { path }
    override var doubt: String? { isInDoubt ? "\(path) may have been renamed" : nil }

    override func begin(on channel: AFCChannel) {
        if isInDoubt { requestInfo(on: channel) } else { rename(on: channel) }
    }

    private func requestInfo(on channel: AFCChannel) {
        isLooking = true
        looks += 1
        for (path, slot) in [(path, Slot.old), (newPath, Slot.new)] {
            channel.send(
                .getFileInfo(path: path), for: self, slot: slot, expecting: RequestJob.maximumListing)
        }
    }

    private func rename(on channel: AFCChannel) {
        isLooking = false
        isInDoubt = true
        channel.send(.renamePath(from: path, to: newPath), for: self, slot: Slot.rename)
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil {
            // It was not carried out.
            if slot == Slot.rename { isInDoubt = false }
            return holdBack(answer)
        }
        // A check needs both answers.
        guard heldBack == nil else { return }
        do throws(TransportError) {
            switch slot {
            case Slot.old: hasOld = try FileStatus(ifThere: answer, path) != nil
            case Slot.new: try judge(hasNew: try FileStatus(ifThere: answer, newPath) != nil, on: channel)
            default:
                if case .status(.objectNotFound) = answer, looks == 1, failure == nil {
                    // The first rename was then carried out after the check.
                    return requestInfo(on: channel)
                }
                isInDoubt = false
                if let error = answer.failure(path) { throw error }
                done()
            }
        } catch {
            fail(error)
            done()
        }
    }

    private func judge(hasNew: Bool, on channel: AFCChannel) throws(TransportError) {
        guard failure == nil else { return }
        guard hasOld || hasNew else { throw .endedUnanswered }
        isInDoubt = false
        guard hasOld else { return done() }
        guard !hasNew else { throw .endedUnanswered }
        rename(on: channel)
    }

    override func abandon(_ error: TransportError, on channel: AFCChannel) {
        // Wait for a rename in flight, because it decides the name of the file.
        if isLooking || !isInDoubt { super.abandon(error, on: channel) }
    }

    override func forgot(_ slot: Int) { if slot == Slot.rename { isInDoubt = false } }

    override func reset() -> Bool {
        // A check for which the device lacked resources has not happened.
        if isLooking, heldBack != nil { looks -= 1 }
        return true
    }
}
