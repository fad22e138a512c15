import Testing

@testable import CommandProtocol

/// An upload of two staged books.
private func upload() -> CommandExchange {
    CommandExchange(
        .uploadBooks(
            UploadBooks(
                timestamp: CommandTimestamp(seconds: 1),
                books: [
                    UploadBooks.Book(fileName: "a.epub", collections: ["NEW"]),
                    UploadBooks.Book(fileName: "b.epub", collections: ["NEW"]),
                ])),
        stagedDocuments: ["/Library/calibre/a.epub", "/Library/calibre/b.epub"],
        stagingFolder: ScriptedReader.folder)
}

private func stagedReader(online: Bool = true) -> ScriptedReader {
    let reader = ScriptedReader(online: online)
    reader["a.epub"] = [1]
    reader["b.epub"] = [2]
    return reader
}

private func run(_ reader: ScriptedReader) -> CommandOutcome {
    var exchange = upload()
    return exchange.run(on: reader)
}

@Suite("A command is handed over, watched and cleared away")
struct CommandExchangeTests {
    @Test("The command is written under a temporary name, renamed, and its status removed at the end")
    func success() {
        let reader = stagedReader()
        reader.onWait = { reader in
            guard reader["upload_books.xml"] != nil else { return }
            reader.files = [reader.path("connected.xml"): ScriptedReader.connection(.online)]
            reader.answer(.success, progress: 1)
        }
        let outcome = run(reader)
        #expect(outcome.ending == .completed)
        #expect(outcome.isCompleted)
        #expect(outcome.error(for: .uploadBooks) == nil)
        #expect(outcome.leftBehind.isEmpty)
        #expect(reader.leftovers.isEmpty)
        #expect(
            reader.log == [
                "read /Library/calibre/connected.xml", "list /Library/calibre",
                "write /Library/calibre/upload_books.tmp",
                "rename /Library/calibre/upload_books.tmp /Library/calibre/upload_books.xml", "wait",
                "read /Library/calibre/status.xml", "exists /Library/calibre/upload_books.xml",
                "remove /Library/calibre/status.xml",
            ])
    }

    @Test("Nothing is written unless the app is online", arguments: [true, false])
    func notOnline(fileIsThere: Bool) {
        let reader = stagedReader(online: false)
        if !fileIsThere { reader["connected.xml"] = nil }
        let outcome = run(reader)
        #expect(outcome.ending == .offline)
        #expect(outcome.error(for: .uploadBooks)?.code == .offline)
        #expect(!reader.log.contains { $0.hasPrefix("write") })
        #expect(reader.leftovers.isEmpty, "the staged books are withdrawn")
    }

    @Test("A connection file that is being written is read again, but not for ever")
    func halfConnection() {
        let reader = stagedReader()
        reader["connected.xml"] = Array("<connection".utf8)
        reader.onWait = { reader in
            if reader.now > .milliseconds(100) {
                reader["connected.xml"] = ScriptedReader.connection(.offline)
            }
        }
        #expect(run(reader).ending == .offline)
        #expect(reader.waits.count == 6)

        let stuck = stagedReader()
        stuck["connected.xml"] = []
        let outcome = run(stuck)
        #expect(outcome.ending == .offline)
        #expect(outcome.underlying is CommandReadError)
        #expect(stuck.now == .seconds(2))
    }

    @Test("Orphans of an earlier session are removed first, and only they")
    func orphans() {
        let reader = stagedReader()
        for name in ["status.xml", "delete_books.xml", "upload_books.tmp", "cancel.command", "response.html"]
        {
            reader[name] = [0]
        }
        reader.onWait = { reader in
            reader["upload_books.xml"] = nil
            reader.answer(.success)
        }
        #expect(run(reader).ending == .completed)
        let removed = reader.log.prefix { !$0.hasPrefix("write") }.filter { $0.hasPrefix("remove") }
        #expect(
            Set(removed) == [
                "remove /Library/calibre/status.xml", "remove /Library/calibre/delete_books.xml",
                "remove /Library/calibre/upload_books.tmp", "remove /Library/calibre/cancel.command",
            ])
        #expect(reader["response.html"] != nil)
    }

    @Test("Progress is reported, never backwards, and news keep the watchdog quiet for as long as they come")
    func progress() {
        let reader = stagedReader()
        var steps: Int64 = 0
        reader.onWait = { reader in
            // News come every 14 seconds: later than the half, sooner than the whole of the watchdog's time.
            guard reader.now >= .seconds(14 * (steps + 1)) else { return }
            steps += 1
            let progress = [0.1, 0.5, 0.3, 0.9][Int(steps - 1) % 4]
            if steps > 4 { reader["upload_books.xml"] = nil }
            reader.answer(steps > 4 ? .success : .inProgress, progress: progress, at: steps)
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.reports == [0.1, 0.5, 0.9])
        #expect(reader.now >= .seconds(70))
    }

    @Test("Pauses double up to the longest and begin anew with every news")
    func pauses() {
        let reader = stagedReader()
        reader.onWait = { reader in
            if reader.waits.count == 8 { reader.answer(.inProgress, progress: 0.5) }
            if reader.waits.count == 10 {
                reader["upload_books.xml"] = nil
                reader.answer(.success)
            }
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.waits == [20, 40, 80, 160, 320, 500, 500, 500, 20, 40].map { .milliseconds($0) })
    }

    @Test("A half-written status is read again", arguments: [0, 10, 60])
    func halfStatus(length: Int) {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.answer(.success)
            if reader.waits.count == 1 {
                reader["status.xml"] = reader["status.xml"].map { Array($0.prefix(length)) }
            } else {
                reader["upload_books.xml"] = nil
            }
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.count("read /Library/calibre/status.xml") == 2)
    }

    @Test("A status that cannot be read is read again, and does not count as a sign of life")
    func unreadableStatus() {
        let reader = stagedReader()
        reader.intercept = { entry, _ in
            entry == "read /Library/calibre/status.xml" ? .failed(ScriptedReader.Broken(path: "status")) : nil
        }
        let outcome = run(reader)
        #expect(outcome.ending == .timedOut)
        #expect(outcome.underlying is ScriptedReader.Broken)
        #expect(reader.now == .seconds(15))
    }

    @Test("Warnings name the rejected books, whose staged files are removed")
    func warnings() {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader["upload_books.xml"] = nil
            reader["a.epub"] = nil
            reader.answer(.warnings, ["[b.epub] not a valid EPUB", "library nearly full"])
        }
        let outcome = run(reader)
        #expect(outcome.ending == .completedWithWarnings)
        #expect(outcome.isCompleted)
        #expect(
            outcome.rejections == [
                Rejection(fileName: "b.epub", reason: "not a valid EPUB"),
                Rejection(fileName: nil, reason: "library nearly full"),
            ])
        #expect(reader.leftovers.isEmpty)
        #expect(reader.count("remove /Library/calibre/a.epub") == 0)
    }

    @Test("Messages of a full success are no rejections")
    func remarks() {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.files = [:]
            reader.answer(.success, ["[a.epub] was already there"])
        }
        let outcome = run(reader)
        #expect(outcome.rejections.isEmpty)
        #expect(outcome.status?.messages == ["[a.epub] was already there"])
    }

    @Test(
        "A failure, a cancellation and an unknown code end without success and withdraw the books",
        arguments: [
            (CommandStatus.Code.failure, CommandOutcome.Ending.refused, CommandError.Code.refused),
            (.cancelled, .cancelled, .cancelled), (CommandStatus.Code(rawValue: 42), .refused, .refused),
        ])
    func failures(code: CommandStatus.Code, ending: CommandOutcome.Ending, error: CommandError.Code) {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader["upload_books.xml"] = nil
            reader.answer(code, ["disk full"])
        }
        let outcome = run(reader)
        #expect(outcome.ending == ending)
        #expect(outcome.error(for: .uploadBooks)?.code == error)
        #expect(reader.leftovers.isEmpty)
    }

    @Test("A failure's own words are in the error, and one without words is reported all the same")
    func failureMessage() {
        for messages in [["disk full"], []] {
            let reader = stagedReader()
            reader.onWait = { reader in
                reader.files = [:]
                reader.answer(.failure, messages)
            }
            let message = run(reader).error(for: .uploadBooks)?.message
            #expect(message?.contains(messages.first ?? "without a reason") == true)
        }
    }

    @Test("An app that dies before it deletes the command does not find it again")
    func commandLeftOver() {
        let reader = stagedReader()
        reader.onWait = { $0.answer(.success) }
        let outcome = run(reader)
        #expect(outcome.ending == .completed)
        #expect(reader["upload_books.xml"] == nil)
        #expect(reader["status.xml"] == nil)
        #expect(reader.now == .milliseconds(20) + .seconds(2))
    }

    @Test("The end waits for the app to delete its command, so that the next one is not deleted with it")
    func slowDeletion() {
        let reader = stagedReader()
        reader.onWait = { reader in
            if reader.waits.count == 1 { reader.answer(.success) }
            if reader.waits.count == 4 { reader["upload_books.xml"] = nil }
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.waits.count == 4)
        #expect(reader.count("remove /Library/calibre/upload_books.xml") == 0)
    }
}

@Suite("Whatever goes wrong, the exchange ends and withdraws what it staged")
struct CommandExchangeFailureTests {
    @Test("An app that never answers is given up when the watchdog's time is over")
    func neverAnswers() {
        let reader = stagedReader()
        let outcome = run(reader)
        #expect(outcome.ending == .timedOut)
        #expect(outcome.error(for: .uploadBooks)?.message == "The reader app did not answer.")
        #expect(reader.now == .seconds(15))
        #expect(reader.leftovers.isEmpty)
        let removals = reader.log.filter { $0.hasPrefix("remove") }
        #expect(
            removals.first == "remove /Library/calibre/upload_books.xml", "the command goes before its books")
    }

    @Test("An app that stops answering is given up, too")
    func stopsAnswering() {
        let reader = stagedReader()
        reader.onWait = { $0.answer(.inProgress, progress: 0.5) }
        let outcome = run(reader)
        #expect(outcome.ending == .timedOut)
        #expect(outcome.status?.progress == 0.5)
        #expect(outcome.error(for: .uploadBooks)?.message.contains("before it was done") == true)
        #expect(reader.now == .seconds(15) + .milliseconds(20))
        #expect(reader.leftovers.isEmpty)
    }

    @Test("News without end are ended by the total limit")
    func endlessNews() {
        let reader = stagedReader()
        reader.onWait = { $0.answer(.inProgress, progress: 0.5, at: $0.now.components.seconds / 14) }
        #expect(run(reader).ending == .timedOut)
        #expect(reader.now >= .seconds(3600))
        #expect(reader.now < .seconds(3601))
        #expect(reader.leftovers.isEmpty)
    }

    @Test(
        "An app that goes offline or leaves its connection mode ends the wait within seconds",
        arguments: [true, false])
    func goesOffline(fileStays: Bool) {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.answer(.inProgress, progress: 0.5)
            reader["connected.xml"] = fileStays ? ScriptedReader.connection(.offline) : nil
        }
        let outcome = run(reader)
        #expect(outcome.ending == .offline)
        #expect(reader.now <= .milliseconds(2500))
        #expect(reader.leftovers.isEmpty)
    }

    @Test("A final status is honoured even if the app went offline after it")
    func finishedThenOffline() {
        let reader = stagedReader()
        reader.onWait = { $0["connected.xml"] = nil }
        reader.intercept = { entry, reader in
            // The app finishes between the look at the status and the look at the connection.
            if entry == "read /Library/calibre/connected.xml", reader["connected.xml"] == nil {
                reader["upload_books.xml"] = nil
                reader.answer(.success)
            }
            return nil
        }
        #expect(run(reader).ending == .completed)
    }

    @Test("A connection file that cannot be read while waiting says nothing")
    func damagedConnection() {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader["connected.xml"] = Array("<conn".utf8)
            if reader.now > .seconds(6) {
                reader["upload_books.xml"] = nil
                reader.answer(.success)
            }
        }
        #expect(run(reader).ending == .completed)
    }

    @Test(
        "A step that fails ends the exchange with its cause",
        arguments: [
            "read /Library/calibre/connected.xml", "list /Library/calibre",
            "remove /Library/calibre/cancel.command",
            "write /Library/calibre/upload_books.tmp",
            "rename /Library/calibre/upload_books.tmp /Library/calibre/upload_books.xml",
        ])
    func failingStep(step: String) {
        let reader = stagedReader()
        reader["cancel.command"] = [0]
        var failed = false
        reader.intercept = { entry, _ in
            guard entry == step, !failed else { return nil }
            failed = true
            return .failed(ScriptedReader.Broken(path: step))
        }
        let outcome = run(reader)
        #expect(outcome.ending == .transferFailed)
        #expect((outcome.underlying as? ScriptedReader.Broken)?.path == step)
        #expect(outcome.error(for: .uploadBooks)?.code == .transferFailed)
        #expect(reader.leftovers.filter { $0 != "/Library/calibre/cancel.command" }.isEmpty)
    }

    @Test("A rename that took place although it failed leaves no command behind")
    func renameReplyLost() {
        let reader = stagedReader()
        reader.intercept = { entry, reader in
            guard entry.hasPrefix("rename") else { return nil }
            reader["upload_books.xml"] = reader["upload_books.tmp"]
            reader["upload_books.tmp"] = nil
            return .failed(ScriptedReader.Broken(path: "reply"))
        }
        #expect(run(reader).ending == .transferFailed)
        #expect(reader.leftovers.isEmpty)
    }

    @Test(
        "An answer that does not fit its question ends the exchange",
        arguments: [
            "read /Library/calibre/connected.xml", "list /Library/calibre",
            "write /Library/calibre/upload_books.tmp",
        ])
    func unfittingReply(step: String) {
        let reader = stagedReader()
        reader.intercept = { entry, _ in
            guard entry == step else { return nil }
            return step.hasPrefix("read") ? .done : .contents([])
        }
        #expect(run(reader).ending == .transferFailed)
    }

    @Test(
        "A device that is gone ends the exchange at once, whatever the step, and the outcome names what is left on it"
    )
    func deviceGone() {
        let reader = stagedReader()
        reader.onWait = { reader in
            guard reader["upload_books.xml"] != nil, reader.waits.count < 3 else {
                reader["upload_books.xml"] = nil
                return reader.answer(.success)
            }
            reader.answer(.inProgress, progress: 0.5)
        }
        var exchange = upload()
        let whole = exchange.run(on: reader)
        #expect(whole.ending == .completed)
        for step in 0..<reader.log.count {
            let reader = stagedReader()
            reader.onWait = { reader in
                guard reader.waits.count < 3 else {
                    for name in ["upload_books.xml", "a.epub", "b.epub"] { reader[name] = nil }
                    return reader.answer(.success)
                }
                reader.answer(.inProgress, progress: 0.5)
            }
            reader.intercept = { _, reader in
                reader.log.count > step ? .deviceGone(ScriptedReader.Broken(path: "cable")) : nil
            }
            let outcome = run(reader)
            #expect(reader.log.count == step + 1, "nothing is asked of a device that is gone")
            #expect(outcome.underlying is ScriptedReader.Broken)
            if outcome.ending == .deviceGone {
                #expect(outcome.leftBehind.contains("/Library/calibre/a.epub"))
                #expect(outcome.error(for: .uploadBooks)?.code == .deviceGone)
                #expect(outcome.error(for: .uploadBooks)?.hint?.contains("a.epub") == true)
            } else {
                #expect(outcome.ending == .completed, "the app had finished before step \(step)")
                #expect(outcome.leftBehind.contains("/Library/calibre/status.xml"))
            }
            // What is there is named; more may be named, since the last step may or may not have taken place.
            #expect(Set(reader.leftovers).isSubset(of: Set(outcome.leftBehind)))
        }
    }

    @Test("What cannot be removed is named")
    func cannotRemove() {
        let reader = stagedReader()
        reader.intercept = { entry, _ in
            entry == "remove /Library/calibre/upload_books.xml"
                ? .failed(ScriptedReader.Broken(path: "x")) : nil
        }
        let outcome = run(reader)
        #expect(outcome.leftBehind == ["/Library/calibre/upload_books.xml"])
        #expect(outcome.error(for: .uploadBooks)?.hint?.contains("/Library/calibre/upload_books.xml") == true)
        #expect(reader.leftovers == ["/Library/calibre/upload_books.xml"])
    }

    @Test("After the end every further reply gets the same end")
    func afterTheEnd() {
        let reader = stagedReader(online: false)
        var exchange = upload()
        let outcome = exchange.run(on: reader)
        for reply in [CommandExchange.Reply.done, .deviceGone(ScriptedReader.Broken(path: ""))] {
            guard case .finish(let again) = exchange.proceed(with: reply, at: .seconds(99)) else {
                Issue.record("something else than the end")
                return
            }
            #expect(again.ending == outcome.ending)
        }
    }
}

@Suite("A cancelled exchange stops the app or takes the command away")
struct CommandExchangeCancelTests {
    @Test("Cancelled before anything happened, it only withdraws the books")
    func atOnce() {
        let reader = stagedReader()
        reader.isCancelled = true
        #expect(run(reader).ending == .cancelled)
        #expect(reader.log == ["remove /Library/calibre/a.epub", "remove /Library/calibre/b.epub"])
    }

    @Test("Cancelled at any step before the app begins, it takes everything away", arguments: 0..<6)
    func beforeTheAppBegins(step: Int) {
        let reader = stagedReader()
        reader.intercept = { _, reader in
            if reader.log.count > step { reader.isCancelled = true }
            return nil
        }
        let outcome = run(reader)
        #expect(outcome.ending == .cancelled)
        #expect(reader.leftovers.isEmpty)
        #expect(
            !reader.log.contains { $0.contains("cancel.") },
            "the app is not asked to stop what it has not begun")
    }

    @Test(
        "A running command is stopped by the app, and its word counts",
        arguments: [
            (CommandStatus.Code.cancelled, CommandOutcome.Ending.cancelled), (.success, .completed),
        ])
    func whileRunning(code: CommandStatus.Code, ending: CommandOutcome.Ending) {
        let reader = stagedReader()
        reader.onWait = { reader in
            if reader["cancel.command"] != nil {
                #expect(reader["cancel.command"] == Array("please stop".utf8))
                reader["upload_books.xml"] = nil
                reader.answer(code)
            } else {
                reader.answer(.inProgress, progress: 0.5)
                if reader.waits.count > 1 { reader.isCancelled = true }
            }
        }
        let outcome = run(reader)
        #expect(outcome.ending == ending)
        #expect(reader["cancel.command"] == nil, "a request the app left is removed")
        #expect(reader["cancel.tmp"] == nil)
        #expect(reader["status.xml"] == nil)
    }

    @Test("An app that does not know how to stop is left, and the command withdrawn, when the grace is over")
    func deafApp() {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.answer(.inProgress, progress: 0.5, at: Int64(reader.waits.count))
            if reader.now >= .seconds(1) { reader.isCancelled = true }
        }
        let outcome = run(reader)
        #expect(outcome.ending == .cancelled)
        #expect(outcome.error(for: .uploadBooks)?.code == .cancelled)
        #expect(reader.now < .seconds(7))
        #expect(reader.leftovers.isEmpty)
    }

    @Test(
        "When the request to stop cannot be delivered, the command is withdrawn",
        arguments: ["write", "rename"])
    func undeliverable(step: String) {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.answer(.inProgress)
            reader.isCancelled = reader.waits.count > 1
        }
        reader.intercept = { entry, _ in
            entry.hasPrefix(step) && entry.contains("cancel.tmp")
                ? .failed(ScriptedReader.Broken(path: entry)) : nil
        }
        #expect(run(reader).ending == .cancelled)
        #expect(reader.leftovers.isEmpty)
    }

    @Test("A command that finished before the cancellation arrived counts as finished")
    func finishedFirst() {
        let reader = stagedReader()
        reader.onWait = { reader in
            reader.isCancelled = true
            reader["upload_books.xml"] = nil
            reader.answer(.success)
        }
        #expect(run(reader).ending == .completed)
    }
}
