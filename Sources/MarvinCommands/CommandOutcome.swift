/// The outcome of a command exchange.
package struct CommandOutcome: Sendable {
    /// The reason for the end.
    package enum Ending: String, Hashable, Sendable {
        /// The app carried out the complete command (code 0).
        case completed
        /// The app carried out the command except for the rejections (code 1).
        case completedWithWarnings
        /// The app did not carry out the command (code 2, or an unknown code).
        case refused
        /// The user stopped the command in the app (code 3), or the host stopped it.
        case cancelled
        /// The app showed no activity in time. The staged files were removed.
        case timedOut
        /// The app was not online at the start, or left its connection mode. The staged files were removed.
        case offline
        /// The app had a command of another host all the time. The command was not sent, and the staged files were
        /// removed.
        case busy
        /// The device can no longer be reached. The staged files are still on it.
        case deviceGone
        /// A file could not be read, written or renamed. The staged files were removed.
        case transferFailed
    }

    /// The reason for the end.
    package var ending: Ending
    /// The last readable status of the app; nil if there was none.
    package var status: CommandStatus?
    /// The items that the app did not accept, in the order of its messages.
    package var rejections: [Rejection] = []
    /// The absolute paths of files on the device that could not be removed.
    package var leftBehind: [String] = []
    /// The error behind `transferFailed` and `deviceGone`, or the error of reading the last status after a timeout.
    package var underlying: (any Error)?

    /// Creates an outcome.
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

    /// Whether the app carried out the command, at least in part.
    package var isCompleted: Bool { ending == .completed || ending == .completedWithWarnings }

    /// The failure to report; nil if the app carried out the command.
    package func error(for name: CommandName) -> CommandError? {
        guard !isCompleted else { return nil }
        return CommandError(self, name)
    }
}
