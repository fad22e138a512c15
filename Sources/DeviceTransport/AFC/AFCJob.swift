/// One piece of work over one AFC connection, as a state machine: it sends requests and takes their answers.
///
/// A run drives it on the calling thread: `begin` once, `advance` whenever there may be room for more requests, `take`
/// for each answer. It is finished when it said so and the device owes it no more answers.
class AFCJob {
    /// Its place among the items of the operation.
    let index: Int
    /// Answers the device owes it; counted by the channel.
    var owed = 0
    /// What it came to, when it failed.
    var failure: TransportError?
    /// Whether it has been tried on another connection before.
    var wasRepeated = false
    /// Whether it wants nothing more from the device.
    private(set) var isDone = false
    /// The refusal of a device that had no resources left for one of its requests. It can begin again, with that request or from
    /// the start.
    private(set) var heldBack: TransportError?

    init(index: Int) { self.index = index }

    /// Whether it can be reported.
    var isFinished: Bool { isDone && owed == 0 }

    /// What it works on, for messages.
    var subject: String { "" }

    /// What may have been done on the device although the job failed: it was asked for, and the answer never came. Nil when
    /// nothing is in doubt.
    var doubt: String? { nil }

    /// Whether giving it up leaves something on the device that should be removed first.
    var leavesTraces: Bool { false }

    /// A file on the device that should be removed when the job is given up now; nil when there is none, or when it has to stay.
    var remains: String? { nil }

    /// What a first try of the job left beside them, and the next one of the same kind would replace.
    var formerRemains: String? { nil }

    /// The same as `remains` once the job's connection is lost and it is not tried again.
    func remainsOfLoss() -> String? { remains }

    /// Hears that `remains` are gone, as another connection tells; `wereThere` when they were until then, `forGood` when
    /// nothing that was sent can bring them back.
    func remainsAreGone(wereThere: Bool, forGood: Bool) {}

    /// Whether a request that was sent with this slot, but has not left this computer, may be forgotten when the job is
    /// given up.
    func mayForget(_ slot: Int) -> Bool { true }

    /// Hears that a request was forgotten, or that the sending ended before it: the device will not carry it out.
    func forgot(_ slot: Int) {}

    /// Sends the first requests.
    func begin(on channel: AFCChannel) {}

    /// Sends more, as long as the channel has room.
    func advance(on channel: AFCChannel) {}

    /// Takes the answer to the request that was sent with this slot.
    func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {}

    /// Hears that content it has given to the channel could not be had; something else was sent in its place.
    func contentFailed(_ error: TransportError, on channel: AFCChannel) {}

    /// Stops early because of `error`: sends nothing but what tidies up. What decides whether something was done is still
    /// waited for.
    func abandon(_ error: TransportError, on channel: AFCChannel) {
        fail(error)
        done()
    }

    /// Whether all it would do when it begins again is look what was done, which it may although it was repeated.
    var wantsLook: Bool { false }

    /// Gets ready to begin again on another connection; false when repeating could do harm.
    func reset() -> Bool { false }

    /// Ends without the device: the connection is lost. Lets go of what it holds on this computer.
    func drop(_ error: TransportError) {
        owed = 0
        fail(error)
        done()
    }

    /// The job to report in its place when it has ended.
    func reported() -> AFCJob { self }

    /// Keeps the first failure.
    final func fail(_ error: TransportError) {
        if failure == nil { failure = error.about(subject) }
    }

    final func done() { isDone = true }

    /// Ends for now, with an answer that means a shortage.
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
