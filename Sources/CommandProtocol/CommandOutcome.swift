/// How a command exchange ended.
package struct CommandOutcome: Sendable {
    /// The last thing that happened.
    package enum Ending: String, Hashable, Sendable {
        /// The app did everything (code 0).
        case completed
        /// The app did all but what the rejections name (code 1).
        case completedWithWarnings
        /// The app did nothing (code 2, or a code this version does not know).
        case refused
        /// Stopped, in the app by its user (code 3) or by the host.
        case cancelled
        /// The app gave no sign of life in time; what was staged is withdrawn.
        case timedOut
        /// The app was not online at the start, or left its connection mode; what was staged is withdrawn.
        case offline
        /// The app had a command of another host all the time; nothing was handed over, what was staged is withdrawn.
        case busy
        /// The device can no longer be reached; what was staged is still there.
        case deviceGone
        /// A file could not be read, written or renamed; what was staged is withdrawn.
        case transferFailed
    }

    /// The last thing that happened.
    package var ending: Ending
    /// What the app said in its last readable status; nil when it never answered.
    package var status: CommandStatus?
    /// The items the app did not accept, in the order of its messages.
    package var rejections: [Rejection] = []
    /// Files on the device that should have been removed and were not, in full paths.
    package var leftBehind: [String] = []
    /// The failure behind `transferFailed` and `deviceGone`, and what made the last status unreadable in a time-out.
    package var underlying: (any Error)?

    /// An outcome with what is known about it.
    package init(
        ending: Ending, status: CommandStatus? = nil, rejections: [Rejection] = [], leftBehind: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.ending = ending
        self.status = status
        self.rejections = rejections
        self.leftBehind = leftBehind
        self.underlying = underlying
    }

    /// True when the app did the work, at least in part.
    package var isCompleted: Bool { ending == .completed || ending == .completedWithWarnings }

    /// The failure to report, or nil when the app did the work.
    package func error(for name: CommandName) -> CommandError? {
        guard !isCompleted else { return nil }
        return CommandError(self, name)
    }
}
