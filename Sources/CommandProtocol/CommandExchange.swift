/// The host's side of one command, from the look whether the app is online to the removal of its status.
///
/// A pure state machine: each action it returns is to be carried out and answered with one reply, until the action is
/// `finish`. Time comes in with each reply, on any clock that does not go back. It promises that
///
/// * it looks before it hands over: while the app has a command of another host, which is never touched, it waits;
/// * every wait has an end: the watchdog without news, the total limit with them;
/// * an unreadable status is read again and never restarts the watchdog;
/// * every end without success withdraws the command file and the staged documents, or names in
///   `leftBehind` what could not be withdrawn;
/// * after a success the command file is gone as well, even if the app died before it deleted it.
package struct CommandExchange: Sendable {
    /// What to do next. Paths are full paths below the root the app was given.
    package enum Action: Sendable {
        /// Read a whole file: `contents`, or `missing`.
        case read(String)
        /// Name the entries of a folder: `names`, or `missing`.
        case list(String)
        /// Say whether a file is there: `done`, or `missing`.
        case exists(String)
        /// Write a whole file and make sure that it arrived: `done`.
        case write(String, [UInt8])
        /// Rename a file: `done`.
        case rename(from: String, to: String)
        /// Remove a file: `done`, or `missing`.
        case remove(String)
        /// Wait that long, or until the exchange is cancelled: `done`.
        case wait(Duration)
        /// Show progress, 0 to 1, never less than before: `done`.
        case report(Double)
        /// The exchange is over; there is nothing more to reply.
        case finish(CommandOutcome)
    }

    /// How the last action went.
    package enum Reply: Sendable {
        case done
        /// The file or folder is not there.
        case missing
        case contents([UInt8])
        case names([String])
        /// The action failed, and others may still succeed.
        case failed(any Error)
        /// The device cannot be reached any more.
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
    /// The files the host staged for the command, in full paths.
    package let stagedDocuments: [String]
    /// The folder of the command and status files, without a slash at the end.
    package let stagingFolder: String
    /// The intervals and deadlines.
    package let timing: CommandTiming

    var phase = Phase.idle
    var isCancelRequested = false
    /// When the host asked the app to stop.
    var cancelSentAt: Duration?
    /// When the exchange began; later, when the command was handed over.
    var startedAt = Duration.zero
    /// When the app last gave a sign of life.
    var lastSign = Duration.zero
    var lastConnectionCheck = Duration.zero
    var finalStatusAt = Duration.zero
    var pollInterval: Duration
    /// When `connected.xml` was first found incomplete, since it was last readable.
    var connectionIncompleteSince: Duration?
    /// Whether another host uses the app.
    var look: StagingMonitor
    var lastStatus: CommandStatus?
    var lastReadError: (any Error)?
    var reported = 0.0
    /// Files of ours that may be on the device, in the order in which they are to be withdrawn.
    var placed: [String] = []

    /// - Parameters:
    ///   - stagedDocuments: full paths of the files staged for the command; withdrawn unless the app takes them.
    ///   - stagingFolder: where the app looks for commands, for example `/Library/calibre`.
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

    /// Asks for the exchange to stop; it takes effect with the next reply.
    package mutating func cancel() {
        isCancelRequested = true
    }

    /// The first action.
    package mutating func begin(at now: Duration) -> Action {
        startedAt = now
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        phase = .checkingConnection
        return .read(path(StagingFile.connection))
    }

    /// The file is no longer on the device under that name.
    mutating func forget(_ path: String) {
        placed.removeAll { $0 == path }
    }

    func path(_ name: String) -> String { stagingFolder + "/" + name }

    var commandPath: String { path(command.name.fileName) }
    var temporaryPath: String { path(command.name.temporaryFileName) }
    var statusPath: String { path(StagingFile.status) }
}

/// What carries out the actions of a command exchange.
package protocol CommandExchangeHost {
    /// A clock that does not go back; only differences count.
    var now: Duration { get }
    /// True once the user wants the exchange to stop.
    var isCancelled: Bool { get }
    /// Carries out one action, and returns early from a wait when `isCancelled` becomes true.
    ///
    /// Never called with `finish`.
    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply
}

extension CommandExchange {
    /// Runs the whole exchange on the calling thread.
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
