/// Determines from repeated checks of the staging folder whether another program uses the app.
///
/// The protocol has no lock, and other hosts know only the command, status and staging files. Therefore files count
/// as those of another program until the contrary is certain:
///
/// * the host never removes a command file, because the app carries it out and deletes it; an old one that the app
///   does not process while the folder is watched is ignored, and may be renamed;
/// * a status in progress belongs to a running command, until it has not changed for the watchdog's time;
/// * a final status, an unreadable one, and a command with its temporary name are kept for some time, because the
///   original host checks once a second; after this time they are orphans of a session that has ended.
package struct StagingMonitor: Sendable {
    /// The result of a check.
    package enum Verdict: Hashable, Sendable {
        /// No other program uses the app. Before a command is sent, the orphans must be removed, and the commands
        /// that the app ignores must be renamed.
        case free(orphans: [String], ignored: [String] = [])
        /// The app has a command of another program, or will soon have one.
        case taken
    }

    /// The names of the files that belong to the protocol.
    private static let known =
        [StagingFile.status] + CommandName.all.map(\.temporaryFileName)
        + [StagingFile.cancel, StagingFile.cancelTemporary]

    private let timing: CommandTiming
    private var trace: [String: [UInt8]] = [:]
    private var traceSince: Duration?

    /// Creates a monitor.
    package init(timing: CommandTiming) { self.timing = timing }

    /// Whether the status must be read for a verdict.
    package static func needsStatus(_ names: [String]) -> Bool { names.contains(StagingFile.status) }

    /// The verdict after another check.
    ///
    /// - Parameters:
    ///   - names: the names in the staging folder, except those of the calling host.
    ///   - status: the bytes of `status.xml`; nil if it does not exist.
    ///   - ages: the ages of files in the folder, by the device's clock. A command file without an age counts as new.
    ///   - now: the time of a clock that does not go back.
    package mutating func observe(
        _ names: [String], status: [UInt8]?, ages: [String: Duration] = [:], at now: Duration
    ) -> Verdict {
        let present = Set(names)
        let commands = CommandName.all.filter { present.contains($0.fileName) }
        let traces = Self.known.filter { present.contains($0) && ($0 != StagingFile.status || status != nil) }
        // A request to stop that is too late has no effect.
        let lasting =
            traces.filter { $0 != StagingFile.cancel && $0 != StagingFile.cancelTemporary }
            + commands.map(\.fileName)
        guard !lasting.isEmpty else { return .free(orphans: traces) }
        let seen = Dictionary(
            lasting.map { ($0, $0 == StagingFile.status ? status ?? [] : []) },
            uniquingKeysWith: { first, _ in first })
        if seen != trace || traceSince == nil { (trace, traceSince) = (seen, now) }
        let age = now - (traceSince ?? now)
        guard commands.isEmpty else {
            let areOld = commands.allSatisfy { command in
                ages[command.fileName].map { timing.isOld(command, age: $0) } ?? false
            }
            guard areOld, age >= max(timing.watchdog, patience(status)) else { return .taken }
            return .free(orphans: traces, ignored: commands.map(\.fileName))
        }
        return age >= patience(status) ? .free(orphans: traces) : .taken
    }

    /// The time for which a file must not change before it counts as an orphan.
    private func patience(_ status: [UInt8]?) -> Duration {
        guard let status else { return timing.settling }
        do throws(CommandReadError) {
            return try CommandStatus(decoding: status).isFinal ? timing.settling : timing.watchdog
        } catch {
            return timing.settling
        }
    }
}
