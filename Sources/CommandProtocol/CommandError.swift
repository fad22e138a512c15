/// A command that was not carried out, in words for a person.
package struct CommandError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's text, which never changes.
        package let rawValue: String

        /// A kind by its text; any text is a kind.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The app is not in its connection mode.
        package static let offline = Code(rawValue: "reader-offline")
        /// The app is at work for another host.
        package static let busy = Code(rawValue: "reader-busy")
        /// The app did not answer in time.
        package static let timedOut = Code(rawValue: "reader-timed-out")
        /// The app answered that it failed.
        package static let refused = Code(rawValue: "reader-refused")
        /// The command was stopped.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The device can no longer be reached.
        package static let deviceGone = Code(rawValue: "device-gone")
        /// A file could not be read, written or renamed.
        package static let transferFailed = Code(rawValue: "transfer-failed")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for a person.
    package let message: String
    /// The command's name.
    package let subject: String
    /// What to do about it.
    package let hint: String?
    /// What caused it, or nil.
    package let underlying: (any Error)?

    /// Nothing but an ending that is no success makes sense here; a success is reported as refused.
    init(_ outcome: CommandOutcome, _ name: CommandName) {
        subject = name.rawValue
        underlying = outcome.underlying
        var hint: String?
        switch outcome.ending {
        case .offline:
            code = .offline
            message = "The reader app is not in connection mode."
            hint = "Open the app's connection screen, keep the device awake, and try again."
        case .busy:
            code = .busy
            message = "The reader app is busy with a command from another program."
            hint = "Wait until it is idle, then run the same command again."
        case .timedOut:
            code = .timedOut
            message =
                outcome.status == nil
                ? "The reader app did not answer."
                : "The reader app stopped answering before it had "
                    + "finished."
            hint = "Check that the app is still open on the device, then try again."
        case .cancelled:
            code = .cancelled
            message =
                outcome.status?.code == .cancelled
                ? "The command was cancelled on the device." : "The command was cancelled."
        case .deviceGone:
            code = .deviceGone
            message = "The device was disconnected while the reader app had a command."
            hint = "Connect the device and run the same command again."
        case .transferFailed:
            code = .transferFailed
            message = "Cannot send the command to the reader app."
        case .refused, .completed, .completedWithWarnings:
            code = .refused
            let said = outcome.status?.messages.first
            message =
                said.map { "The reader app reports: \($0)" }
                ?? "The reader app reports a failure, but no reason."
        }
        if !outcome.leftBehind.isEmpty {
            let names = outcome.leftBehind.joined(separator: ", ")
            hint = (hint.map { $0 + " " } ?? "") + "Still on the device: \(names)."
        }
        self.hint = hint
    }

    /// The command's name and the message.
    package var description: String { "\(subject): \(message)" }
}
