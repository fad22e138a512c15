import Diagnostics
import Testing

@testable import MarvinCommands

@Suite("The exchange ends and withdraws what it staged after any failure")
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
        #expect(outcome.error(for: .uploadBooks)?.message.contains("before it had finished") == true)
        #expect(reader.now == .seconds(15) + .milliseconds(20))
        #expect(reader.leftovers.isEmpty)
    }

    @Test("An app that reports progress forever is ended by the total limit")
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
            // The app finishes between the check of the status and the check of the connection.
            if entry == "read /Library/calibre/connected.xml", reader["connected.xml"] == nil {
                reader["upload_books.xml"] = nil
                reader.answer(.success)
            }
            return nil
        }
        #expect(run(reader).ending == .completed)
    }

    @Test("A connection file that cannot be read while waiting is ignored")
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

    @Test("A rename that took place although it failed hands the command over", arguments: [true, false])
    func renameReplyLost(isTakenAtOnce: Bool) {
        let reader = stagedReader()
        reader.intercept = { entry, reader in
            guard entry.hasPrefix("rename") else { return nil }
            if !isTakenAtOnce { reader["upload_books.xml"] = reader["upload_books.tmp"] }
            reader["upload_books.tmp"] = nil
            return .failed(ScriptedReader.Broken(path: "reply"))
        }
        reader.onWait = { reader in
            reader["upload_books.xml"] = nil
            reader.files = reader.files.filter { !$0.key.hasSuffix(".epub") }
            reader.answer(.success)
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.leftovers.isEmpty)
    }

    @Test("Command and documents are withdrawn if a rename may or may not have taken place")
    func renameUnknown() {
        let reader = stagedReader()
        reader.intercept = { entry, reader in
            if entry == "exists /Library/calibre/upload_books.tmp" {
                return .failed(ScriptedReader.Broken(path: "look"))
            }
            guard entry.hasPrefix("rename") else { return nil }
            reader["upload_books.xml"] = reader["upload_books.tmp"]
            reader["upload_books.tmp"] = nil
            return .failed(ScriptedReader.Broken(path: "reply"))
        }
        let outcome = run(reader)
        #expect(outcome.ending == .transferFailed)
        #expect((outcome.underlying as? ScriptedReader.Broken)?.path == "reply")
        #expect(reader.leftovers.isEmpty)
    }

    @Test("Another command that made a rename fail is left alone, and so is its status")
    func renameInTheWay() {
        let reader = stagedReader()
        reader.intercept = { entry, reader in
            guard entry.hasPrefix("rename") else { return nil }
            reader["upload_books.xml"] = [1]
            reader.answer(.inProgress, progress: 0.5)
            return .failed(ScriptedReader.Broken(path: "reply"))
        }
        #expect(run(reader).ending == .transferFailed)
        #expect(
            reader.leftovers == ["/Library/calibre/status.xml", "/Library/calibre/upload_books.xml"])
    }

    @Test(
        "A rename that lands after the exchange gave it up leaves no command behind without its documents",
        arguments: [true, false])
    func renameLandsLate(isSeen: Bool) {
        let reader = stagedReader()
        let temporary = "/Library/calibre/upload_books.tmp"
        reader.intercept = { entry, reader in
            if entry.hasPrefix("rename") || entry == "exists " + temporary && !isSeen {
                return .failed(ScriptedReader.Broken(path: "silence"))
            }
            if entry == "remove " + temporary, let bytes = reader.files.removeValue(forKey: temporary) {
                reader["upload_books.xml"] = bytes
            }
            return nil
        }
        let outcome = run(reader)
        #expect(outcome.ending == .transferFailed)
        #expect((outcome.underlying as? ScriptedReader.Broken)?.path == "silence")
        #expect(outcome.leftBehind.isEmpty)
        #expect(reader.leftovers.isEmpty)
    }

    @Test("A temporary file whose removal fails at first goes before the command it may still become")
    func renameLandsLater() {
        let reader = stagedReader()
        let temporary = "/Library/calibre/upload_books.tmp"
        var removals = 0
        reader.intercept = { entry, reader in
            if entry.hasPrefix("rename") { return .failed(ScriptedReader.Broken(path: "silence")) }
            guard entry == "remove " + temporary else { return nil }
            removals += 1
            guard removals > 1 else { return .failed(ScriptedReader.Broken(path: "silence")) }
            if let bytes = reader.files.removeValue(forKey: temporary) { reader["upload_books.xml"] = bytes }
            return nil
        }
        #expect(run(reader).ending == .transferFailed)
        #expect(removals == 2)
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
        "A device that is gone ends the exchange at once, regardless of the step, and the outcome names what is left on it"
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
            // Existing files are named. Others may be named too, because the last step may have happened or not.
            #expect(Set(reader.leftovers).isSubset(of: Set(outcome.leftBehind)))
        }
    }

    @Test("An item that cannot be removed is named")
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
