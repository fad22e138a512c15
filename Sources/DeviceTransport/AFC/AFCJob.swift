/// One piece of work over one AFC connection, as a state machine: it sends requests and takes their answers.
///
/// A run drives it on the calling thread: `begin` once, `advance` whenever there may be room for more
/// requests, `take` for each answer. It is finished when it has called `done` and the device owes it no
/// answers.
class AFCJob {
    /// Its place among the items of the operation.
    let index: Int
    /// Answers the device owes it; counted by the channel.
    var owed = 0
    /// Why it failed; nil as long as it has not.
    var failure: TransportError?
    /// Whether it has been tried on another connection before.
    var wasRepeated = false
    /// Whether it needs no more requests.
    private(set) var isDone = false
    /// The answer of a device that had no resources left for one of its requests. The job can begin again,
    /// with that request or from the start.
    private(set) var heldBack: TransportError?

    init(index: Int) { self.index = index }

    /// Whether it is over and can be reported.
    var isFinished: Bool { isDone && owed == 0 }

    /// What it works on, for messages.
    var subject: String { "" }

    /// A change that the device may have made although the job failed, because the answer never came: a
    /// clause for the message. Nil when nothing is in doubt.
    var doubt: String? { nil }

    /// Whether giving it up may leave a file on the device that should be removed first.
    var leavesTraces: Bool { false }

    /// The file on the device to remove when the job is given up now; nil when there is none, or when it has
    /// to stay.
    var remains: String? { nil }

    /// Another file that a first attempt of the job may have left.
    var formerRemains: String? { nil }

    /// The file to remove when the job's connection is lost and the job is not tried again.
    func remainsOfLoss() -> String? { remains }

    /// Called when `remains` was removed over another connection. `wereThere`: it existed until then.
    /// `forGood`: no request under way can create it again.
    func remainsAreGone(wereThere: Bool, forGood: Bool) {}

    /// Whether a request of this slot that is queued, but not sent, may be dropped when the job is given up.
    func mayForget(_ slot: Int) -> Bool { true }

    /// Called when a request was dropped before it was sent: the device will not carry it out.
    func forgot(_ slot: Int) {}

    /// Sends the first requests.
    func begin(on channel: AFCChannel) {}

    /// Sends more requests, as long as the channel has room.
    func advance(on channel: AFCChannel) {}

    /// Takes the answer to the request that was sent with this slot.
    func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {}

    /// Called when content of the job could not be read; zeros were sent in its place.
    func contentFailed(_ error: TransportError, on channel: AFCChannel) {}

    /// Stops early because of `error`, and sends only requests that clean up. Still waits for answers that
    /// decide whether a change was made.
    func abandon(_ error: TransportError, on channel: AFCChannel) {
        fail(error)
        done()
    }

    /// Whether the job, if it begins again, would only look at what was done. It may do so even when it was
    /// repeated before.
    var wantsLook: Bool { false }

    /// Prepares to begin again on another connection; false when repeating could do harm.
    func reset() -> Bool { false }

    /// Ends without the device, because the connection is lost. Releases local files.
    func drop(_ error: TransportError) {
        owed = 0
        fail(error)
        done()
    }

    /// The job to report instead when this one has ended.
    func reported() -> AFCJob { self }

    /// Keeps the first failure.
    final func fail(_ error: TransportError) {
        if failure == nil { failure = error.about(subject) }
    }

    final func done() { isDone = true }

    /// Ends for now, because the device had no resources left.
    final func holdBack(_ answer: BorrowedReply) {
        heldBack = answer.failure(subject)
        done()
    }

    final func undone() {
        isDone = false
        failure = nil
        heldBack = nil
        owed = 0
    }
}
