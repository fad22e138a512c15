import Diagnostics
import Testing

@testable import MarvinCommands

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
                "write /Library/calibre/upload_books.tmp", "exists /Library/calibre/upload_books.xml",
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

    @Test("A connection file that is being written is read again, but not forever")
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
        for name in ["status.xml", "upload_books.tmp", "cancel.command", "response.html"] {
            reader[name] = [0]
        }
        reader.onWait = { reader in
            guard reader["upload_books.xml"] != nil else { return }
            reader["upload_books.xml"] = nil
            reader.answer(.success)
        }
        #expect(run(reader).ending == .completed)
        let removed = reader.log.prefix { !$0.hasPrefix("write") }.filter { $0.hasPrefix("remove") }
        #expect(
            Set(removed) == [
                "remove /Library/calibre/status.xml", "remove /Library/calibre/upload_books.tmp",
                "remove /Library/calibre/cancel.command",
            ])
        #expect(reader["response.html"] != nil)
    }

    @Test("Progress never goes backwards, and news from the app resets the watchdog")
    func progress() {
        let reader = stagedReader()
        var steps: Int64 = 0
        reader.onWait = { reader in
            // News come every 14 seconds, which is between half and all of the watchdog's limit.
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

    @Test("Pauses double up to the longest, and start again after each change")
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

    @Test("Messages of a full success are not rejections")
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

    @Test("A failure's own words are in the error, and one without words is reported anyway")
    func failureMessage() {
        for messages in [["disk full"], []] {
            let reader = stagedReader()
            reader.onWait = { reader in
                reader.files = [:]
                reader.answer(.failure, messages)
            }
            let message = run(reader).error(for: .uploadBooks)?.message
            #expect(message?.contains(messages.first ?? "but no reason") == true)
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
