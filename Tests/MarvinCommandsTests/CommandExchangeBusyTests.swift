import Diagnostics
import Testing

@testable import MarvinCommands

@Suite("A command of another host is waited for and never touched")
struct CommandExchangeBusyTests {
    private func isOurs(_ reader: ScriptedReader) -> Bool {
        reader.log.contains { $0.hasPrefix("rename") }
    }

    /// The app answers our command as soon as it has received it.
    private func answerOurs(_ reader: ScriptedReader) {
        guard isOurs(reader) else { return }
        for name in ["upload_books.xml", "a.epub", "b.epub"] { reader[name] = nil }
        reader.answer(.success, at: 99)
    }

    @Test(
        "The app finishes the command, its host takes the status, and our command follows",
        arguments: ["delete_books.xml", "upload_books.xml"])
    func waits(name: String) {
        let reader = stagedReader()
        reader[name] = Array("foreign".utf8)
        reader.onWait = { reader in
            guard !isOurs(reader) else { return answerOurs(reader) }
            if reader.now > .seconds(20) {
                reader["status.xml"] = nil
            } else if reader.now > .seconds(18) {
                reader[name] = nil
                reader.answer(.success, at: 50)
            } else {
                reader.answer(.inProgress, progress: 0.5, at: reader.now.components.seconds)
            }
        }
        #expect(run(reader).ending == .completed)
        let before = reader.log.prefix { !$0.hasPrefix("write") }
        #expect(!before.contains { $0.hasPrefix("remove") })
        #expect(reader.now >= .seconds(20))
    }

    @Test(
        "A foreign command that stays ends our exchange as busy, and only our staged files are removed"
    )
    func busy() {
        let reader = stagedReader()
        reader["delete_books.xml"] = Array("foreign".utf8)
        let outcome = run(reader)
        #expect(outcome.ending == .busy)
        #expect(outcome.error(for: .uploadBooks)?.code == .busy)
        #expect(outcome.error(for: .uploadBooks)?.hint?.isEmpty == false)
        #expect(reader.leftovers == ["/Library/calibre/delete_books.xml"])
        #expect(reader.now == CommandTiming.standard.busyLimit)
        #expect(!reader.log.contains { $0.hasPrefix("write") })
    }

    @Test(
        "A status in progress without its command counts as work until it is silent for the watchdog's time")
    func inProgress() {
        let reader = stagedReader()
        reader.answer(.inProgress, progress: 0.1)
        reader.onWait = { reader in
            if reader.now < .seconds(5) { reader.answer(.inProgress, progress: 0.2, at: 2) }
            answerOurs(reader)
        }
        #expect(run(reader).ending == .completed)
        #expect(reader.now >= .seconds(15))
        #expect(reader.now < .seconds(22))
        #expect(reader.count("remove /Library/calibre/status.xml") == 2)
    }

    @Test("A final status is left to its host for longer than one polling interval")
    func finalStatus() {
        let reader = stagedReader()
        reader.answer(.success)
        reader.onWait = { answerOurs($0) }
        var removedAt = Duration.zero
        reader.intercept = { entry, reader in
            if entry == "remove /Library/calibre/status.xml", removedAt == .zero {
                removedAt = reader.now
            }
            return nil
        }
        #expect(run(reader).ending == .completed)
        #expect(removedAt >= .milliseconds(2500))
        #expect(removedAt < .milliseconds(3200))
    }

    @Test("A command that appears at the last moment is not replaced")
    func lastMoment() {
        let reader = stagedReader()
        var appeared = false
        reader.intercept = { entry, reader in
            if entry.hasPrefix("write"), !appeared {
                appeared = true
                reader["upload_books.xml"] = Array("foreign".utf8)
            }
            if entry.hasPrefix("rename") { #expect(reader["upload_books.xml"] == nil) }
            return nil
        }
        reader.onWait = { reader in
            if isOurs(reader) {
                answerOurs(reader)
            } else if reader.now > .seconds(1) {
                reader["upload_books.xml"] = nil
            }
        }
        #expect(run(reader).ending == .completed)
        #expect(appeared)
        #expect(reader.leftovers.isEmpty)
    }

    @Test("An app that goes offline, and a person who cancels, end the wait", arguments: [true, false])
    func ends(offline: Bool) {
        let reader = stagedReader()
        reader["delete_books.xml"] = Array("foreign".utf8)
        reader.onWait = { reader in
            if offline {
                reader["connected.xml"] = ScriptedReader.connection(.offline)
            } else {
                reader.isCancelled = true
            }
        }
        #expect(run(reader).ending == (offline ? .offline : .cancelled))
        #expect(reader.leftovers == ["/Library/calibre/delete_books.xml"])
        #expect(reader.waits.count == 1)
    }

    @Test(
        "A file without a waiting host is an orphan: at once a late request to stop, after a while a half-made command"
    )
    func orphans() {
        var look = StagingMonitor(timing: .standard)
        #expect(look.observe(["a.epub", "connected.xml"], status: nil, at: .zero) == .free(orphans: []))
        #expect(
            look.observe(["cancel.command"], status: nil, at: .zero) == .free(orphans: ["cancel.command"]))
        #expect(look.observe(["upload_books.tmp"], status: nil, at: .seconds(1)) == .taken)
        #expect(look.observe(["upload_books.tmp"], status: nil, at: .seconds(3)) == .taken)
        #expect(
            look.observe(["upload_books.tmp"], status: nil, at: .seconds(4))
                == .free(orphans: ["upload_books.tmp"]))
        #expect(look.observe(["status.xml"], status: Array("<status".utf8), at: .seconds(5)) == .taken)
        #expect(look.observe(["status.xml"], status: Array("<status ".utf8), at: .seconds(7)) == .taken)
        #expect(
            look.observe(["status.xml"], status: Array("<status ".utf8), at: .seconds(10))
                == .free(orphans: ["status.xml"]))
        #expect(look.observe(["rebuild_collections.xml"], status: nil, at: .seconds(999)) == .taken)
    }

    @Test("A command counts as ignored if it is old and the app leaves it alone for the watchdog's time")
    func ignored() throws {
        let name = "delete_books.xml"
        func verdict(
            _ age: Duration, _ name: String = name, status: [UInt8]? = nil, later: [UInt8]? = nil
        ) -> StagingMonitor.Verdict {
            var look = StagingMonitor(timing: .standard)
            let names = status == nil ? [name] : [name, "status.xml"]
            #expect(look.observe(names, status: status, ages: [name: age], at: .zero) == .taken)
            #expect(
                look.observe(names, status: later ?? status, ages: [name: age], at: .seconds(14)) == .taken)
            return look.observe(names, status: later ?? status, ages: [name: age], at: .seconds(16))
        }
        #expect(verdict(.seconds(60)) == .free(orphans: [], ignored: [name]))
        #expect(verdict(.seconds(59)) == .taken)
        // A step that may take the app minutes without a message gets more time.
        #expect(verdict(.seconds(299), "command.xml") == .taken)
        #expect(verdict(.seconds(300), "command.xml") == .free(orphans: [], ignored: ["command.xml"]))
        // A changing status shows that the app is working.
        let statuses = [0.1, 0.2].map {
            CommandStatus(timestamp: CommandTimestamp(seconds: 1), code: .inProgress, progress: $0).encoded()
        }
        #expect(verdict(.seconds(600), status: statuses[0], later: statuses[1]) == .taken)
        #expect(
            verdict(.seconds(600), status: statuses[0])
                == .free(orphans: ["status.xml"], ignored: [name]))
    }
}
