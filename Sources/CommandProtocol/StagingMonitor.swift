/// Tells from repeated looks at the staging folder whether another program is using the app.
///
/// The protocol has no lock, and other hosts know only the command, status and staging files. So what is
/// there belongs to another program until the contrary is certain:
///
/// * a command file is never ours to remove: the app carries it out and deletes it; one that is old and that the app leaves
///   alone while it is watched is ignored, and may be set aside;
/// * a status in progress belongs to a command that is being carried out, until it has not changed for the watchdog's time;
/// * a final status, an unreadable one, and a command under its temporary name are given time to be read or renamed, since
///   the original host looks once a second; afterwards they are orphans of a session that has ended.
package struct StagingMonitor: Sendable {
    /// What the folder says.
    package enum Verdict: Hashable, Sendable {
        /// Nothing else uses the app. Before anything is handed over, the orphans are to be removed, and the commands that the
        /// app ignores are to be set aside.
        case free(orphans: [String], ignored: [String] = [])
        /// The app has, or soon will have, a command of another program.
        case taken
    }

    /// Everything in the folder that is part of a conversation.
    private static let known =
        [StagingFile.status] + CommandName.all.map(\.temporaryFileName)
        + [StagingFile.cancel, StagingFile.cancelTemporary]

    private let timing: CommandTiming
    private var trace: [String: [UInt8]] = [:]
    private var traceSince: Duration?

    /// A watch that has seen nothing yet.
    package init(timing: CommandTiming) { self.timing = timing }

    /// Whether the status must be read for a verdict.
    package static func needsStatus(_ names: [String]) -> Bool { names.contains(StagingFile.status) }

    /// The verdict after one more look.
    ///
    /// - Parameters:
    ///   - names: the names in the staging folder, without those that the asking host put there.
    ///   - status: the bytes of `status.xml`; nil: it is not there.
    ///   - ages: how long ago files of the folder changed, by the device's clock; a command file without an age is new.
    ///   - now: a clock that does not go back.
    package mutating func observe(
        _ names: [String], status: [UInt8]?, ages: [String: Duration] = [:], at now: Duration
    ) -> Verdict {
        let present = Set(names)
        let commands = CommandName.all.filter { present.contains($0.fileName) }
        let traces = Self.known.filter { present.contains($0) && ($0 != StagingFile.status || status != nil) }
        // A request to stop that came too late has no effect.
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

    /// How long a trace must stay as it is before it is an orphan.
    private func patience(_ status: [UInt8]?) -> Duration {
        guard let status else { return timing.settling }
        do throws(CommandReadError) {
            return try CommandStatus(decoding: status).isFinal ? timing.settling : timing.watchdog
        } catch {
            return timing.settling
        }
    }
}
