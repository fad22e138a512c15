import Diagnostics

extension CommandExchange {
    /// Handles the final status of the app.
    mutating func conclude(_ status: CommandStatus, at now: Duration) -> Action {
        let ending: CommandOutcome.Ending =
            switch status.code {
            case .success: .completed
            case .warnings: .completedWithWarnings
            case .cancelled: .cancelled
            default: .refused
            }
        let names = command.fileNames
        let rejections =
            status.code == .success ? [] : status.messages.map { Rejection(message: $0, fileNames: names) }
        finalStatusAt = now
        pollInterval = timing.firstPoll
        phase = .confirmingRemoval(CommandOutcome(ending: ending, status: status, rejections: rejections))
        return .exists(commandPath)
    }

    /// Checks that the command file is gone. Before that, the next command must not be sent, because the app may
    /// still delete the file.
    mutating func removalConfirmed(_ reply: Reply, _ outcome: CommandOutcome, at now: Duration) -> Action {
        if case .missing = reply {
            forget(commandPath)
        } else if now - finalStatusAt < timing.completionGrace {
            phase = .awaitingRemoval(outcome)
            let pause = min(pollInterval, finalStatusAt + timing.completionGrace - now)
            pollInterval = min(pollInterval * 2, timing.longestPoll)
            return .wait(max(pause, .milliseconds(1)))
        }
        return clean(placed + untakenDocuments(outcome), outcome)
    }

    /// Removes all files of this host from the device, and then ends with the outcome.
    mutating func withdraw(_ outcome: CommandOutcome, at now: Duration) -> Action {
        clean(placed + stagedDocuments, outcome)
    }

    /// Ends the exchange because a step failed that cannot be repeated.
    mutating func fail(_ reply: Reply, at now: Duration) -> Action {
        let underlying: any Error
        switch reply {
        case .failed(let error):
            underlying = error
        default:
            underlying = CommandReadError(
                .missingValue, "The previous step had no usable answer.", subject: command.name.rawValue)
        }
        return withdraw(CommandOutcome(ending: .transferFailed, underlying: underlying), at: now)
    }

    /// Ends the exchange immediately, because files on a device that is gone cannot be removed.
    mutating func loseDevice(_ error: any Error) -> Action {
        var outcome: CommandOutcome
        var left: [String]
        switch phase {
        case .finished(let finished):
            return .finish(finished)
        case .confirmingRemoval(let concluded), .awaitingRemoval(let concluded):
            outcome = concluded
            left = placed + untakenDocuments(concluded)
        case .cleaning(let rest, let concluded):
            outcome = concluded
            left = concluded.leftBehind + rest
        default:
            outcome = CommandOutcome(ending: .deviceGone, status: lastStatus, underlying: error)
            left = placed + stagedDocuments
        }
        outcome.underlying = outcome.underlying ?? error
        outcome.leftBehind = left
        phase = .finished(outcome)
        return .finish(outcome)
    }

    /// Continues the removal. `rest` begins with the file that the last action removed.
    mutating func cleaned(_ reply: Reply, _ rest: [String], _ outcome: CommandOutcome) -> Action {
        var outcome = outcome
        switch reply {
        case .done, .missing: break
        default: outcome.leftBehind += rest.prefix(1)
        }
        return clean(Array(rest.dropFirst()), outcome)
    }

    private mutating func clean(_ files: [String], _ outcome: CommandOutcome) -> Action {
        guard let next = files.first else {
            phase = .finished(outcome)
            return .finish(outcome)
        }
        phase = .cleaning(files, outcome)
        return .remove(next)
    }

    /// The staged documents that the app rejected and left in the staging folder.
    private func untakenDocuments(_ outcome: CommandOutcome) -> [String] {
        guard outcome.isCompleted else { return stagedDocuments }
        let rejected = Set(outcome.rejections.compactMap { $0.fileName.map { Array($0.utf8) } })
        return stagedDocuments.filter { document in
            let name = document.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
            return rejected.contains(Array(name.reversed()))
        }
    }
}
