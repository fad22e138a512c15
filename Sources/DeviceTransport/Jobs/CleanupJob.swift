import DeviceWire

/// Removes the file of a job whose connection was lost, over another connection and once, and then ends that job.
final class CleanupJob: AFCJob {
    private let job: AFCJob
    private let error: TransportError
    private let path: String
    private enum Slot {
        static let remains = 0
        static let former = 1
    }

    /// Nil if the job leaves no file, or is itself a cleanup.
    init?(after job: AFCJob, _ error: TransportError) {
        guard !(job is CleanupJob), let path = job.remainsOfLoss() else { return nil }
        (self.job, self.error, self.path) = (job, error, path)
        super.init(index: job.index)
    }

    override var subject: String { job.subject }
    override var leavesTraces: Bool { job.leavesTraces }
    override var remains: String? { job.remains }

    override func remainsAreGone(wereThere: Bool, forGood: Bool) {
        job.remainsAreGone(wereThere: wereThere, forGood: forGood)
    }

    /// This job must not drop the removal, which is its only purpose.
    override func mayForget(_ slot: Int) -> Bool { false }

    override func abandon(_ error: TransportError, on channel: AFCChannel) {
        if owed == 0 { super.abandon(error, on: channel) }
    }

    override func begin(on channel: AFCChannel) {
        if let former = job.formerRemains {
            channel.send(.removePath(path: former), for: self, slot: Slot.former)
        }
        channel.send(.removePath(path: path), for: self, slot: Slot.remains)
        done()
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        guard slot == Slot.remains else { return }
        if answer.meansShortage { return holdBack(answer) }
        let failure = answer.failure(path)
        if failure == nil || failure?.code == .notFound {
            remainsAreGone(wereThere: failure == nil, forGood: true)
        }
    }

    override func reset() -> Bool { true }

    override func reported() -> AFCJob {
        job.drop(error)
        return job
    }
}
