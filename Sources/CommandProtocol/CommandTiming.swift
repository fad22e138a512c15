/// The intervals and deadlines of a command exchange.
package struct CommandTiming: Hashable, Sendable {
    /// The pause before the first look at the status, and after every news.
    package var firstPoll: Duration
    /// The longest pause between two looks; pauses double from the first up to this.
    package var longestPoll: Duration
    /// How long the app may go without a sign of life before the command counts as unanswered.
    package var watchdog: Duration
    /// How long a command may take in all, however lively its status.
    package var total: Duration
    /// The pause between two looks at whether the app is still online.
    package var connectionCheck: Duration
    /// How long a half-written `connected.xml` is read again before the app counts as offline.
    package var connectionGrace: Duration
    /// How long the app has to stop a running command after it was asked to.
    package var cancelGrace: Duration
    /// How long the app has to delete the command file after the final status.
    package var completionGrace: Duration
    /// How long what another host left in the staging folder must stay unchanged before it counts as an orphan; more than
    /// the second after which the original host looks again.
    package var settling: Duration
    /// How long another host's command is waited for.
    package var busyLimit: Duration
    /// The age at which a command of another host that the app leaves alone counts as ignored; more than any host waits for
    /// a command that the app carries out at once.
    package var ignoredAge: Duration

    /// The watchdog is the original host's; the shorter polls cost nothing while the app is quick.
    package static let standard = CommandTiming(
        firstPoll: .milliseconds(20), longestPoll: .milliseconds(500), watchdog: .seconds(15),
        total: .seconds(3600), connectionCheck: .seconds(2), connectionGrace: .seconds(2),
        cancelGrace: .seconds(5), completionGrace: .seconds(2))

    /// The same with more patience, for what an app works at for minutes silently: the companion of the original host
    /// waits longer for backups and for Deep View, too.
    package var patient: CommandTiming {
        var timing = self
        timing.watchdog = max(watchdog, .seconds(300))
        return timing
    }

    /// Intervals and deadlines one by one.
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

    /// Whether a command file is so old that the app has ignored it, unless it is at work silently.
    package func isOld(_ command: CommandName, age: Duration) -> Bool {
        age >= ([.app, .updateItems].contains(command) ? max(ignoredAge, patient.watchdog) : ignoredAge)
    }
}
