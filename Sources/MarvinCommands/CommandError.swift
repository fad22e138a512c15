import Diagnostics

/// A command that was not carried out. The subject is the command's name.
package typealias CommandError = Failure<CommandErrorCode>

/// The kinds of ``CommandError``: an open set.
package struct CommandErrorCode: FailureCode {
    /// The text of the code.
    package let rawValue: String

    /// Creates a code from its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The app is not in its connection mode.
    package static let offline = Self(rawValue: "reader_offline")
    /// The app is processing a command of another host.
    package static let busy = Self(rawValue: "reader_busy")
    /// The app did not answer in time.
    package static let timedOut = Self(rawValue: "reader_timed_out")
    /// The app answered that it failed.
    package static let refused = Self(rawValue: "reader_refused")
    /// The command was stopped.
    package static let cancelled = Self(rawValue: "cancelled")
    /// The device can no longer be reached.
    package static let deviceGone = Self(rawValue: "device_gone")
    /// A file could not be read, written or renamed.
    package static let transferFailed = Self(rawValue: "transfer_failed")
}

extension Failure where Code == CommandErrorCode {
    /// Creates the failure for an outcome that is not a success. A success would be reported as refused.
    init(_ outcome: CommandOutcome, _ name: CommandName) {
        switch outcome.ending {
        case .offline:
            self.init(
                .offline, "The reader app is not in connection mode.",
                hint: "Open the app's connection screen, keep the device awake, and try again.",
                isRetryable: true)
        case .busy:
            self.init(
                .busy, "The reader app is busy with a command from another program.",
                hint: "Wait until it is idle, then run the same command again.", isRetryable: true)
        case .timedOut:
            self.init(
                .timedOut,
                outcome.status == nil
                    ? "The reader app did not answer."
                    : "The reader app stopped answering before it had finished.",
                hint: "Check that the app is still open on the device, then try again.", isRetryable: true)
        case .cancelled:
            self.init(
                .cancelled,
                outcome.status?.code == .cancelled
                    ? "The command was cancelled on the device." : "The command was cancelled.")
        case .deviceGone:
            self.init(
                .deviceGone, "The device was disconnected while the reader app had a command.",
                hint: "Connect the device and run the same command again.")
        case .transferFailed:
            self.init(.transferFailed, "Cannot send the command to the reader app.")
        case .refused, .completed, .completedWithWarnings:
            let said = outcome.status?.messages.first
            self.init(
                .refused,
                said.map { "The reader app reports: '\($0)'" }
                    ?? "The reader app reports a failure, but no reason.")
        }
        (subject, underlying) = (name.rawValue, outcome.underlying)
        if !outcome.leftBehind.isEmpty {
            let names = outcome.leftBehind.joined(separator: ", ")
            hint = (hint.map { $0 + " " } ?? "") + "Still on the device: \(names)."
        }
    }
}
