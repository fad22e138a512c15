/// The intervals and limits of a command exchange.
package struct CommandTiming: Hashable, Sendable {
    /// The pause before the first check of the status, and after each change.
    package var firstPoll: Duration
    /// The longest pause between two checks. Pauses double up to this value.
    package var longestPoll: Duration
    /// The time without activity of the app after which the command counts as unanswered.
    package var watchdog: Duration
    /// The time limit of a command, regardless of activity.
    package var total: Duration
    /// The interval between checks whether the app is still online.
    package var connectionCheck: Duration
    /// The time for which an incomplete `connected.xml` is read again before the app counts as offline.
    package var connectionGrace: Duration
    /// The time for the app to stop a running command after a request.
    package var cancelGrace: Duration
    /// The time for the app to delete the command file after the final status.
    package var completionGrace: Duration
    /// The time for which another host's file in the staging folder must not change before it counts as an orphan.
    /// Longer than the interval of one second at which the original host checks.
    package var settling: Duration
    /// The time for which to wait for another host's command.
    package var busyLimit: Duration
    /// The age at which another host's command counts as ignored if the app does not process it. Longer than any host
    /// waits for a command that the app carries out immediately.
    package var ignoredAge: Duration

    /// The default values. The watchdog is that of the original host; the shorter polling intervals cost nothing if
    /// the app is fast.
    package static let standard = CommandTiming(
        firstPoll: .milliseconds(20), longestPoll: .milliseconds(500), watchdog: .seconds(15),
        total: .seconds(3600), connectionCheck: .seconds(2), connectionGrace: .seconds(2),
        cancelGrace: .seconds(5), completionGrace: .seconds(2))

    /// These values with longer limits, for commands that an app processes for minutes without a status. The
    /// companion of the original host also waits longer for backups and Deep View.
    package var patient: CommandTiming {
        var timing = self
        timing.watchdog = max(watchdog, .seconds(300))
        return timing
    }

    /// Creates a timing from its values.
    package init(
        firstPoll: Duration, longestPoll: Duration, watchdog: Duration, total: Duration,
        connectionCheck: Duration, connectionGrace: Duration, cancelGrace: Duration,
        completionGrace: Duration, settling: Duration = .milliseconds(2500),
        busyLimit: Duration = .seconds(30), ignoredAge: Duration = .seconds(60)
    ) {
        self.firstPoll = firstPoll
        self.longestPoll = longestPoll
        self.watchdog = watchdog
        self.total = total
        self.connectionCheck = connectionCheck
        self.connectionGrace = connectionGrace
        self.cancelGrace = cancelGrace
        self.completionGrace = completionGrace
        self.settling = settling
        self.busyLimit = busyLimit
        self.ignoredAge = ignoredAge
    }

    /// Whether a command file is so old that the app has ignored it, unless the app processes it without a status.
    package func isOld(_ command: CommandName, age: Duration) -> Bool {
        age >= ([.app, .updateItems].contains(command) ? max(ignoredAge, patient.watchdog) : ignoredAge)
    }
}
