/// One task on one AFC connection, as a state machine: it sends requests and receives their answers.
///
/// A run drives it on the calling thread. It calls `begin` once, `advance` whenever there may be room for more
/// requests, and `take` for each answer. The job is finished when it has called `done` and the device owes it no
/// answers.
class AFCJob {
    /// The index of its item in the operation.
    let index: Int
    /// The number of answers that the device owes the job. The channel counts them.
    var owed = 0
    /// The reason why it failed; nil if it has not.
    var failure: TransportError?
    /// Whether it was already tried on another connection.
    var wasRepeated = false
    /// Whether it will send no more requests.
    private(set) var isDone = false
    /// The answer of a device that lacked resources for one of the job's requests. The job can begin again, with that
    /// request or from the start.
    private(set) var heldBack: TransportError?

    init(index: Int) { self.index = index }

    /// Whether it has ended and can be reported.
    var isFinished: Bool { isDone && owed == 0 }

    /// The object that it works on, for messages.
    var subject: String { "" }

    /// A change that the device may have made although the job failed, because the answer never arrived. The text is
    /// a clause for the message; nil if there is no such change.
    var doubt: String? { nil }

    /// The approximate number of requests that it sends.
    var expectedRequests: Int { 4 }

    /// Whether abandoning it may leave a file on the device that should be removed first.
    var leavesTraces: Bool { false }

    /// The file on the device to remove if the job is abandoned now; nil if there is none, or if it must stay.
    var remains: String? { nil }

    /// Another file that the first attempt of the job may have left.
    var formerRemains: String? { nil }

    /// The file to remove if the job's connection is lost and the job is not repeated.
    func remainsOfLoss() -> String? { remains }

    /// Called after `remains` was removed over another connection. `wereThere`: it existed until then. `forGood`: no
    /// request in flight can create it again.
    func remainsAreGone(wereThere: Bool, forGood: Bool) {}

    /// Whether a queued but unsent request with this slot may be dropped when the job is abandoned.
    func mayForget(_ slot: Int) -> Bool { true }

    /// Called when a request was dropped before it was sent. The device will not carry it out.
    func forgot(_ slot: Int) {}

    /// Sends the first requests.
    func begin(on channel: AFCChannel) {}

    /// Sends more requests, as long as the channel has room.
    func advance(on channel: AFCChannel) {}

    /// Handles the answer to the request that was sent with this slot.
    func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {}

    /// Called when content of the job could not be read. Zeros were sent in its place.
    func contentFailed(_ error: TransportError, on channel: AFCChannel) {}

    /// Stops early because of `error`, and sends only requests that clean up. The job still waits for answers that
    /// show whether a change was made.
    func abandon(_ error: TransportError, on channel: AFCChannel) {
        fail(error)
        done()
    }

    /// Whether the job, if it begins again, would only check what was done. It may do so even if it was repeated
    /// before.
    var wantsLook: Bool { false }

    /// Prepares to begin again on another connection. Returns false if repeating could do harm.
    func reset() -> Bool { false }

    /// Ends the job without the device, because the connection is lost. Releases local files.
    func drop(_ error: TransportError) {
        owed = 0
        fail(error)
        done()
    }

    /// The job to report instead when this one has ended.
    func reported() -> AFCJob { self }

    /// Sets the failure unless there is one already.
    final func fail(_ error: TransportError) {
        if failure == nil { failure = error.about(subject) }
    }

    final func done() { isDone = true }

    /// Ends the job for now, because the device lacked resources.
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
