/// The host's side of one command, from the check whether the app is online to the removal of its status.
///
/// A pure state machine: each returned action must be carried out and answered with one reply, until the action is
/// `finish`. Each reply includes the time, from any clock that does not go back. The following rules apply:
///
/// * before sending a command, it checks the folder, and waits while the app has a command of another host, which is
///   never changed;
/// * every wait has a limit: the watchdog without news, the total limit with news;
/// * an unreadable status is read again, and does not restart the watchdog;
/// * after any end without success, the command file and the staged documents are removed, or `leftBehind` contains
///   the files that could not be removed;
/// * after a success, the command file is also removed, even if the app ended before it deleted the file.
package struct CommandExchange: Sendable {
    /// The next action. Paths are absolute in the root that the app uses.
    package enum Action: Sendable {
        /// Read a complete file: `contents`, or `missing`.
        case read(String)
        /// List the entries of a folder: `names`, or `missing`.
        case list(String)
        /// Check whether a file exists: `done`, or `missing`.
        case exists(String)
        /// Write a complete file and verify it: `done`.
        case write(String, [UInt8])
        /// Rename a file: `done`.
        case rename(from: String, to: String)
        /// Remove a file: `done`, or `missing`.
        case remove(String)
        /// Wait for a time, or until the exchange is cancelled: `done`.
        case wait(Duration)
        /// Show progress from 0 to 1, which does not decrease: `done`.
        case report(Double)
        /// The exchange has ended; do not reply.
        case finish(CommandOutcome)
    }

    /// The result of the last action.
    package enum Reply: Sendable {
        case done
        /// The file or folder does not exist.
        case missing
        case contents([UInt8])
        case names([String])
        /// The action failed, and others may still succeed.
        case failed(any Error)
        /// The device can no longer be reached.
        case deviceGone(any Error)
    }

    enum Phase: Sendable {
        case idle
        case checkingConnection
        case awaitingConnection
        case listing
        case lookingAtStatus([String])
        case awaitingOthers
        case removingOrphans([String])
        case writing
        case lookingAgain
        case renaming
        case lookingForTemporary(Reply)
        case removingTemporary(Reply)
        case waiting
        case readingStatus
        case reporting
        case watchingConnection
        case writingCancel
        case renamingCancel
        case lastLook(CommandOutcome)
        case confirmingRemoval(CommandOutcome)
        case awaitingRemoval(CommandOutcome)
        case cleaning([String], CommandOutcome)
        case finished(CommandOutcome)
    }

    /// The command.
    package let command: Command
    /// The absolute paths of the files that the host staged for the command.
    package let stagedDocuments: [String]
    /// The folder of the command and status files, without a trailing slash.
    package let stagingFolder: String
    /// The intervals and deadlines.
    package let timing: CommandTiming

    var phase = Phase.idle
    var isCancelRequested = false
    /// The time when the host asked the app to stop.
    var cancelSentAt: Duration?
    /// The time when the exchange began, or later, when the command was sent.
    var startedAt = Duration.zero
    /// The time of the last sign of activity of the app.
    var lastSign = Duration.zero
    var lastConnectionCheck = Duration.zero
    var finalStatusAt = Duration.zero
    var pollInterval: Duration
    /// The time since when `connected.xml` has been incomplete; nil while it is readable.
    var connectionIncompleteSince: Duration?
    /// Detects whether another host uses the app.
    var look: StagingMonitor
    var lastStatus: CommandStatus?
    var lastReadError: (any Error)?
    var reported = 0.0
    /// Files of this host that may be on the device, in the order of their removal.
    var placed: [String] = []

    /// - Parameters:
    ///   - stagedDocuments: absolute paths of the files staged for the command. They are removed unless the app
    ///     accepts them.
    ///   - stagingFolder: the folder in which the app searches for commands, for example `/Library/calibre`.
    package init(
        _ command: Command, stagedDocuments: [String] = [], stagingFolder: String,
        timing: CommandTiming = .standard
    ) {
        self.command = command
        self.stagedDocuments = stagedDocuments
        self.stagingFolder = stagingFolder
        self.timing = timing
        pollInterval = timing.firstPoll
        look = StagingMonitor(timing: timing)
    }

    /// Requests the end of the exchange, which takes effect with the next reply.
    package mutating func cancel() {
        isCancelRequested = true
    }

    /// Returns the first action.
    package mutating func begin(at now: Duration) -> Action {
        startedAt = now
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        phase = .checkingConnection
        return .read(path(StagingFile.connection))
    }

    /// Records that the file no longer exists on the device.
    mutating func forget(_ path: String) {
        placed.removeAll { $0 == path }
    }

    func path(_ name: String) -> String { stagingFolder + "/" + name }

    var commandPath: String { path(command.name.fileName) }
    var temporaryPath: String { path(command.name.temporaryFileName) }
    var statusPath: String { path(StagingFile.status) }
}

/// Carries out the actions of a command exchange.
package protocol CommandExchangeHost {
    /// A clock that does not go back. Only differences are used.
    var now: Duration { get }
    /// Whether the user wants to stop the exchange.
    var isCancelled: Bool { get }
    /// Carries out an action. Returns early from a wait when `isCancelled` becomes true.
    ///
    /// Never called with `finish`.
    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply
}

extension CommandExchange {
    /// Runs the complete exchange on the calling thread.
    package mutating func run(on host: some CommandExchangeHost) -> CommandOutcome {
        if host.isCancelled { cancel() }
        var action = begin(at: host.now)
        while true {
            if case .finish(let outcome) = action { return outcome }
            let reply = host.perform(action)
            if host.isCancelled { cancel() }
            action = proceed(with: reply, at: host.now)
        }
    }
}
