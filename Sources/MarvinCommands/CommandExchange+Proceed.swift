import Diagnostics

extension CommandExchange {
    /// Returns the next action after the reply to the last one.
    ///
    /// A reply that does not match the last action counts as its failure.
    package mutating func proceed(with reply: Reply, at now: Duration) -> Action {
        if case .deviceGone(let error) = reply { return loseDevice(error) }
        switch phase {
        case .idle: return begin(at: now)
        case .checkingConnection: return connectionRead(reply, at: now)
        case .awaitingConnection: return readConnection(at: now)
        case .listing: return listed(reply, at: now)
        case .lookingAtStatus(let names): return othersStatusRead(reply, names, at: now)
        case .awaitingOthers: return readConnection(at: now)
        case .removingOrphans(let rest): return orphanRemoved(reply, rest, at: now)
        case .writing: return written(reply, at: now)
        case .lookingAgain: return lookedAgain(reply, at: now)
        case .renaming: return renamed(reply, at: now)
        case .lookingForTemporary(let failure): return lookedForTemporary(reply, failure, at: now)
        case .removingTemporary(let failure): return temporaryRemoved(reply, failure, at: now)
        case .waiting: return waited(at: now)
        case .readingStatus: return statusRead(reply, at: now)
        case .reporting: return waitOrGiveUp(at: now)
        case .watchingConnection: return connectionWatched(reply, at: now)
        case .writingCancel: return cancelWritten(reply, at: now)
        case .renamingCancel: return cancelRenamed(reply, at: now)
        case .lastLook(let outcome): return lastLookTaken(reply, outcome, at: now)
        case .confirmingRemoval(let outcome): return removalConfirmed(reply, outcome, at: now)
        case .awaitingRemoval(let outcome):
            phase = .confirmingRemoval(outcome)
            return .exists(commandPath)
        case .cleaning(let rest, let outcome): return cleaned(reply, rest, outcome)
        case .finished(let outcome): return .finish(outcome)
        }
    }

    // MARK: Handing over

    private mutating func readConnection(at now: Duration) -> Action {
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        phase = .checkingConnection
        return .read(path(StagingFile.connection))
    }

    private mutating func connectionRead(_ reply: Reply, at now: Duration) -> Action {
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        switch reply {
        case .contents(let bytes):
            do {
                guard try ConnectionStatus(decoding: bytes).state == .online else {
                    return withdraw(CommandOutcome(ending: .offline), at: now)
                }
            } catch {
                let since = connectionIncompleteSince ?? now
                connectionIncompleteSince = since
                guard error.code == .incomplete, now - since < timing.connectionGrace else {
                    return withdraw(CommandOutcome(ending: .offline, underlying: error), at: now)
                }
                phase = .awaitingConnection
                return .wait(timing.firstPoll)
            }
            connectionIncompleteSince = nil
            phase = .listing
            return .list(stagingFolder)
        case .missing:
            return withdraw(CommandOutcome(ending: .offline), at: now)
        default:
            return fail(reply, at: now)
        }
    }

    private mutating func listed(_ reply: Reply, at now: Duration) -> Action {
        guard case .names(let all) = reply else { return fail(reply, at: now) }
        let names = all.filter { !placed.contains(path($0)) }
        guard StagingMonitor.needsStatus(names) else { return judge(names, nil, at: now) }
        phase = .lookingAtStatus(names)
        return .read(statusPath)
    }

    private mutating func othersStatusRead(_ reply: Reply, _ names: [String], at now: Duration) -> Action {
        switch reply {
        case .contents(let bytes): return judge(names, bytes, at: now)
        case .missing: return judge(names, nil, at: now)
        default: return fail(reply, at: now)
        }
    }

    private mutating func judge(_ names: [String], _ status: [UInt8]?, at now: Duration) -> Action {
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        switch look.observe(names, status: status, at: now) {
        case .free(let orphans, _):
            pollInterval = timing.firstPoll
            return removeOrphans(orphans.map(path), at: now)
        case .taken:
            return awaitOthers(at: now)
        }
    }

    /// Waits for another host's command up to the limit, and then removes the staged files of this host.
    private mutating func awaitOthers(at now: Duration) -> Action {
        let left = startedAt + timing.busyLimit - now
        guard left > .zero else { return withdraw(CommandOutcome(ending: .busy), at: now) }
        phase = .awaitingOthers
        let pause = min(pollInterval, left)
        pollInterval = min(pollInterval * 2, timing.longestPoll)
        return .wait(max(pause, .milliseconds(1)))
    }

    /// Removes files of an earlier session, because its status must not be mistaken for one of this session.
    private mutating func removeOrphans(_ orphans: [String], at now: Duration) -> Action {
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        if let next = orphans.first {
            phase = .removingOrphans(Array(orphans.dropFirst()))
            return .remove(next)
        }
        phase = .writing
        forget(temporaryPath)
        placed.append(temporaryPath)
        return .write(temporaryPath, command.encoded())
    }

    private mutating func orphanRemoved(_ reply: Reply, _ rest: [String], at now: Duration) -> Action {
        switch reply {
        case .done, .missing: return removeOrphans(rest, at: now)
        default: return fail(reply, at: now)
        }
    }

    private mutating func written(_ reply: Reply, at now: Duration) -> Action {
        guard case .done = reply else { return fail(reply, at: now) }
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        // A rename replaces an existing file, so check again immediately before it.
        phase = .lookingAgain
        return .exists(commandPath)
    }

    private mutating func lookedAgain(_ reply: Reply, at now: Duration) -> Action {
        guard !isCancelRequested else { return withdraw(CommandOutcome(ending: .cancelled), at: now) }
        switch reply {
        case .missing: break
        case .done: return awaitOthers(at: now)
        default: return fail(reply, at: now)
        }
        phase = .renaming
        // The reply to a rename may be lost, so both names belong to this host from here on.
        placed.insert(commandPath, at: 0)
        placed.append(statusPath)
        return .rename(from: temporaryPath, to: commandPath)
    }

    private mutating func renamed(_ reply: Reply, at now: Duration) -> Action {
        guard case .done = reply else {
            // The app may already have read the command, and even completed it. The original name shows whether the
            // rename took place.
            phase = .lookingForTemporary(reply)
            return .exists(temporaryPath)
        }
        return handedOver(at: now)
    }

    private mutating func lookedForTemporary(_ reply: Reply, _ failure: Reply, at now: Duration) -> Action {
        switch reply {
        case .missing:
            return handedOver(at: now)
        case .done:
            // The rename may still be in progress. It can no longer take place when its file is gone.
            phase = .removingTemporary(failure)
            return .remove(temporaryPath)
        default:
            withdrawTemporaryFirst()
            return fail(failure, at: now)
        }
    }

    private mutating func temporaryRemoved(_ reply: Reply, _ failure: Reply, at now: Duration) -> Action {
        switch reply {
        case .done:
            // Nothing was renamed, so a command with this name and a status belong to another host.
            for path in [temporaryPath, commandPath, statusPath] { forget(path) }
        case .missing:
            // The rename took place after all, so the command is removed with the other files.
            forget(temporaryPath)
        default:
            withdrawTemporaryFirst()
        }
        return fail(failure, at: now)
    }

    /// Removes the temporary file first, so that a rename in progress cannot restore the command after its removal.
    private mutating func withdrawTemporaryFirst() {
        forget(temporaryPath)
        placed.insert(temporaryPath, at: 0)
    }

    private mutating func handedOver(at now: Duration) -> Action {
        forget(temporaryPath)
        startedAt = now
        lastSign = now
        lastConnectionCheck = now
        return wait(at: now)
    }

    // MARK: Waiting

    private mutating func wait(at now: Duration) -> Action {
        var pause = min(pollInterval, lastSign + timing.watchdog - now, startedAt + timing.total - now)
        if let cancelSentAt { pause = min(pause, cancelSentAt + timing.cancelGrace - now) }
        pollInterval = min(pollInterval * 2, timing.longestPoll)
        phase = .waiting
        return .wait(max(pause, .milliseconds(1)))
    }

    private mutating func waited(at now: Duration) -> Action {
        if isCancelRequested, cancelSentAt == nil {
            // If the app has not begun, removing the command stops it.
            guard lastStatus != nil else { return takeLastLook(CommandOutcome(ending: .cancelled)) }
            cancelSentAt = now
            placed.append(path(StagingFile.cancelTemporary))
            phase = .writingCancel
            return .write(path(StagingFile.cancelTemporary), Array(StagingFile.cancelText.utf8))
        }
        phase = .readingStatus
        return .read(statusPath)
    }

    private mutating func statusRead(_ reply: Reply, at now: Duration) -> Action {
        switch reply {
        case .contents(let bytes):
            do {
                let status = try CommandStatus(decoding: bytes)
                lastReadError = nil
                if status.isFinal { return conclude(status, at: now) }
                if status != lastStatus { return newsRead(status, at: now) }
            } catch {
                lastReadError = error
            }
        case .failed(let error):
            lastReadError = error
        default:
            break
        }
        return waitOrGiveUp(at: now)
    }

    private mutating func newsRead(_ status: CommandStatus, at now: Duration) -> Action {
        lastStatus = status
        lastSign = now
        pollInterval = timing.firstPoll
        guard let progress = status.progress, progress > reported else { return waitOrGiveUp(at: now) }
        reported = progress
        phase = .reporting
        return .report(progress)
    }

    private mutating func waitOrGiveUp(at now: Duration) -> Action {
        if let cancelSentAt, now - cancelSentAt >= timing.cancelGrace {
            return withdraw(CommandOutcome(ending: .cancelled, status: lastStatus), at: now)
        }
        if now - lastSign >= timing.watchdog || now - startedAt >= timing.total {
            return withdraw(
                CommandOutcome(ending: .timedOut, status: lastStatus, underlying: lastReadError), at: now)
        }
        if now - lastConnectionCheck >= timing.connectionCheck {
            lastConnectionCheck = now
            phase = .watchingConnection
            return .read(path(StagingFile.connection))
        }
        return wait(at: now)
    }

    private mutating func connectionWatched(_ reply: Reply, at now: Duration) -> Action {
        switch reply {
        case .missing:
            return takeLastLook(CommandOutcome(ending: .offline, status: lastStatus))
        case .contents(let bytes):
            // An unreadable file has no meaning. The watchdog covers an app that does not repair it.
            if case .success(let connection) = Result(catching: { () throws(CommandReadError) in
                try ConnectionStatus(decoding: bytes)
            }), connection.state == .offline {
                return takeLastLook(CommandOutcome(ending: .offline, status: lastStatus))
            }
            return wait(at: now)
        default:
            return wait(at: now)
        }
    }

    private mutating func cancelWritten(_ reply: Reply, at now: Duration) -> Action {
        guard case .done = reply else {
            return takeLastLook(CommandOutcome(ending: .cancelled, status: lastStatus))
        }
        placed.append(path(StagingFile.cancel))
        phase = .renamingCancel
        return .rename(from: path(StagingFile.cancelTemporary), to: path(StagingFile.cancel))
    }

    private mutating func cancelRenamed(_ reply: Reply, at now: Duration) -> Action {
        guard case .done = reply else {
            return takeLastLook(CommandOutcome(ending: .cancelled, status: lastStatus))
        }
        forget(path(StagingFile.cancelTemporary))
        pollInterval = timing.firstPoll
        return wait(at: now)
    }

    /// Reads the status once more, because the app may have finished before the reason to give up occurred.
    private mutating func takeLastLook(_ outcome: CommandOutcome) -> Action {
        phase = .lastLook(outcome)
        return .read(statusPath)
    }

    private mutating func lastLookTaken(_ reply: Reply, _ outcome: CommandOutcome, at now: Duration) -> Action
    {
        if case .contents(let bytes) = reply,
            case .success(let status) = Result(catching: { () throws(CommandReadError) in
                try CommandStatus(decoding: bytes)
            }), status.isFinal
        {
            return conclude(status, at: now)
        }
        return withdraw(outcome, at: now)
    }
}
