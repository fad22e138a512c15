import Claims
import MarvinCommands
import OverlayKit

extension MarvinDevice {
    /// Runs `body`, which sends commands to Marvin, while no other host does.
    ///
    /// - Throws: `busy` if another host holds the claim, or Marvin has another program's command, for longer than
    ///   `timing.busyLimit`.
    func claimed<Value>(
        _ body: (FolderClaim) throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        let claim = try FolderClaim.take(claimPlace)
        defer { claim.release() }
        try awaitOthers(claim)
        return try body(claim)
    }

    /// The folder in which all hosts put commands for Marvin.
    private var claimPlace: ClaimPlace {
        ClaimPlace(
            host: host, root: root, folder: paths.staging, name: "Marvin", patience: timing.busyLimit,
            now: now
        ) { () throws(OverlayError) in
            try (names(in: paths.staging) ?? [])
                .filter { $0 != StagingFile.connection && !$0.hasPrefix(FolderClaim.name) }
                .map(paths.staged)
        }
    }

    /// Waits until Marvin has no commands of other programs, and removes leftovers of earlier sessions before
    /// anything is staged that such a command could name.
    ///
    /// Marvin executes any command that it finds, so an old command could use some of the files that are staged now.
    /// Marvin must finish and delete commands itself. An old command that Marvin ignores is renamed.
    private func awaitOthers(_ claim: FolderClaim) throws(OverlayError) {
        var monitor = StagingMonitor(timing: timing)
        let began = now()
        var pause = timing.firstPoll
        while true {
            guard let names = try names(in: paths.staging) else {
                throw OverlayError(
                    .appUnavailable, "Marvin's command folder does not exist.", subject: paths.staging,
                    hint: MarvinHint.connect)
            }
            let status =
                StagingMonitor.needsStatus(names)
                ? try Self.smallFile(host.transport, root, paths.staged(StagingFile.status)) : nil
            let ages = try ages(ofCommandsIn: names, claim)
            if case .free(let orphans, let ignored) = monitor.observe(
                names, status: status, ages: ages, at: now()),
                try setAside(ignored, ages, names)
            {
                for name in orphans { try removeIfPresent(paths.staged(name)) }
                if !orphans.isEmpty {
                    host.log.warning(
                        "marvin",
                        "Removed files that an interrupted command left in Marvin's command folder: "
                            + orphans.joined(separator: ", ") + ".")
                }
                return try claim.clearLeftovers(names)
            }
            let left = began + timing.busyLimit - now()
            guard left > .zero else {
                throw OverlayError(
                    .busy, "Marvin is busy with a command from another program.", hint: MarvinHint.busy,
                    retryable: true)
            }
            host.progress.report(0, of: nil, phase: "Waiting for Marvin to finish another command")
            try host.cancellation.wait(for: min(pause, left))
            pause = min(pause * 2, timing.longestPoll)
            try claim.renew()
            try requireOnline()
        }
    }

    /// The ages of other programs' commands, by name.
    private func ages(
        ofCommandsIn names: [String], _ claim: FolderClaim
    ) throws(OverlayError) -> [String: Duration] {
        let commands = Set(CommandName.all.map(\.fileName)).intersection(names).sorted()
        guard !commands.isEmpty else { return [:] }
        var ages: [String: Duration] = [:]
        for (command, age) in zip(commands, try claim.ages(of: commands.map(paths.staged))) {
            ages[command] = age
        }
        return ages
    }

    /// Renames commands that Marvin ignores to names that Marvin does not look for.
    ///
    /// - Parameter names: the names in the folder of commands.
    /// - Returns: false if a command is gone, for example because Marvin has started it. Its files are then not
    ///   leftovers.
    private func setAside(
        _ commands: [String], _ ages: [String: Duration], _ names: [String]
    ) throws(OverlayError) -> Bool {
        for command in commands {
            do throws(OverlayError) {
                try setAside(command, age: ages[command], names)
            } catch {
                guard error.status == .notFound else { throw error }
                return false
            }
        }
        return true
    }

    /// - Throws: `notFound` if the command is gone.
    private func setAside(_ command: String, age: Duration?, _ names: [String]) throws(OverlayError) {
        let taken = Set(names)
        var name = command + ".set-aside"
        var number = 1
        while taken.contains(name) {
            number += 1
            name = command + ".set-aside-\(number)"
        }
        try host.transport.rename(root, paths.staged(command), to: paths.staged(name))
        let minutes = (age?.components.seconds ?? 0) / 60
        host.log.warning(
            "marvin",
            "Marvin has ignored the command \(command) from another program for \(minutes) minutes. It "
                + "was moved to \(paths.staged(name))."
        )
    }

    /// Removes staged files, as far as possible.
    ///
    /// - Returns: the files that may still exist.
    func withdraw(_ files: [String]) -> [String] {
        var left: [String] = []
        for file in files {
            do {
                try removeIfPresent(file)
            } catch {
                left.append(file)
                host.log.warning(
                    "marvin", "Cannot remove a staged file: \(error.message)", ["file": file])
                // An unplugged device or a cancelled method gives the same answer to every further request.
                if [.deviceGone, .cancelled, .timedOut].contains(error.status) { return files }
            }
        }
        return left
    }

    private func removeIfPresent(_ path: String) throws(OverlayError) {
        do {
            try host.transport.remove(root, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}

extension MarvinDevice {
    /// A one-line message about commands of other programs that are so old that Marvin must be ignoring them; nil if
    /// there are none. Takes one request, and a second if there is a command.
    ///
    /// Their age is determined with the host's clock, because the device's clock could be read only by writing a
    /// file.
    func waitingCommands() throws(OverlayError) -> String? {
        let names = Set(try names(in: paths.staging) ?? [])
        let commands = CommandName.all.filter { names.contains($0.fileName) }
        guard !commands.isEmpty else { return nil }
        let files = try files(commands.map { paths.staged($0.fileName) })
        let now = wallClock()
        let old = zip(commands, files).compactMap { command, file -> String? in
            guard let file else { return nil }
            let (age, isTooLong) = now.subtractingReportingOverflow(file.modified)
            guard isTooLong || timing.isOld(command, age: .nanoseconds(age)) else { return nil }
            return paths.staged(command.fileName)
        }
        guard !old.isEmpty else { return nil }
        return "Marvin has ignored a command from another program: \(old.joined(separator: ", ")). The "
            + "next command that changes books moves it aside, unless Marvin runs it first."
    }
}
