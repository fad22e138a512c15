import Diagnostics
import Testing

@testable import MarvinCommands

@Suite("A cancelled exchange stops the app or takes the command away")
struct CommandExchangeCancelTests {
    @Test("A cancellation before the start only withdraws the books")
    func atOnce() {
        let reader = stagedReader()
        reader.isCancelled = true
        #expect(run(reader).ending == .cancelled)
        #expect(reader.log == ["remove /Library/calibre/a.epub", "remove /Library/calibre/b.epub"])
    }

    @Test("A cancellation at any step before the app begins removes everything", arguments: 0..<6)
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
        "A running command is stopped by the app, and the app's status counts",
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
