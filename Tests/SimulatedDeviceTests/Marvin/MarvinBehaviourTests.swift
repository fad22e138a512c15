import Diagnostics
import MarvinCommands
import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The simulated Marvin misbehaves as its settings say")
struct MarvinBehaviourTests {
    private func bench(_ name: String) throws -> MarvinBench {
        try MarvinBench(behaviour: #require(MarvinBehaviour(named: name)))
    }

    private func twoBooks() throws -> [(name: String, file: URL)] {
        [(bookName(1), try RealBooks.history("en")), (bookName(2), try RealBooks.history("de"))]
    }

    @Test(
        "Marvin takes nothing while it is offline or not in its connection mode",
        arguments: ["offline", "not-in-connection-mode"])
    func notOnline(name: String) throws {
        let bench = try bench(name)
        #expect(try bench.upload(twoBooks()).ending == .offline)
        bench.app.behaviour.connection = .online
        #expect(try bench.upload(twoBooks()).ending == .completed)
    }

    @Test("Marvin may never answer, and the host then withdraws all staged files")
    func neverAnswers() throws {
        let bench = try bench("never-answers")
        #expect(try bench.upload(twoBooks(), timing: MarvinBench.impatient).ending == .timedOut)
        #expect(try bench.connection().state == .online)
        #expect(try bench.leftovers().isEmpty)
    }

    @Test(
        "Marvin may leave in the middle, and finished books stay",
        arguments: ["goes-offline", "leaves-connection-mode"])
    func leavesInTheMiddle(name: String) throws {
        let bench = try bench(name)
        let outcome = try bench.upload(twoBooks())
        #expect(outcome.ending == .offline)
        #expect(outcome.status?.progress == 0.5)
        #expect(try bench.query("SELECT FileName FROM Books") == [[.text(bookName(1))]])
        #expect(try bench.leftovers().isEmpty)
        bench.app.behaviour.connection = .online
        let again = try bench.upload(twoBooks())
        #expect(again.rejections.map(\.fileName) == [bookName(1)])
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
    }

    @Test("Marvin may crash in the middle, and takes a remaining command when it runs again")
    func dies() throws {
        let bench = try bench("dies")
        #expect(try bench.upload(twoBooks(), timing: MarvinBench.impatient).ending == .timedOut)
        #expect(try bench.query("SELECT 1 FROM Books").count == 1)
        #expect(try bench.leftovers().isEmpty)
        for book in try twoBooks() { try Data(contentsOf: book.file).write(to: bench.staged(book.name)) }
        let command = UploadBooks(
            timestamp: MarvinBench.timestamp, overwrite: true,
            books: [UploadBooks.Book(fileName: bookName(1)), UploadBooks.Book(fileName: bookName(2))])
        try Data(command.encoded()).write(to: bench.staged("upload_books.xml"))
        bench.app.behaviour = MarvinBehaviour()
        // The next exchange waits for its turn behind the remaining command.
        #expect(bench.delete([bookName(1)]).isCompleted || bench.delete([bookName(1)]).isCompleted)
    }

    @Test("Marvin may crash after the work and before it deletes the command, and the host deletes it")
    func diesBeforeDeleting() throws {
        let bench = try bench("dies-before-deleting-the-command")
        #expect(try bench.upload(twoBooks(), timing: MarvinBench.impatient).ending == .completed)
        #expect(try bench.leftovers().isEmpty)
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
        #expect(bench.delete([bookName(1)], timing: MarvinBench.impatient).ending == .timedOut, "it is dead")
        bench.app.behaviour = MarvinBehaviour()
        #expect(bench.delete([bookName(1)]).ending == .completed)
    }

    @Test("Marvin may complain and fail")
    func complains() throws {
        let bench = try bench("warnings")
        let warned = try bench.upload(twoBooks())
        #expect(warned.ending == .completedWithWarnings)
        #expect(warned.rejections == [Rejection(fileName: nil, reason: "The library is nearly full.")])
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
        bench.app.behaviour = try #require(MarvinBehaviour(named: "failure"))
        let failed = bench.delete([bookName(1)])
        #expect(failed.ending == .refused)
        #expect(failed.error(for: .deleteBooks)?.message.contains("The library cannot be opened.") == true)
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
    }

    @Test("A person can cancel in the app")
    func userCancels() throws {
        let bench = try bench("cancelled")
        #expect(try bench.upload(twoBooks()).ending == .cancelled)
        #expect(try bench.query("SELECT 1 FROM Books").count == 1)
        #expect(try bench.leftovers().isEmpty)
    }

    @Test("The host may cancel while it is busy with a book")
    func hostCancels() throws {
        let bench = try MarvinBench()
        bench.app.behaviour.timePerBook = .seconds(600)
        bench.afterLook = { bench, reply in
            if case .contents = reply { bench.isCancelled = true }
        }
        let outcome = try bench.upload(twoBooks())
        #expect(outcome.ending == .cancelled)
        #expect(outcome.status?.code == .cancelled)
        #expect(try bench.query("SELECT 1 FROM Books").count == 1)
        #expect(try bench.leftovers().isEmpty)
    }

    @Test("Marvin's behaviour may change while it is busy with a book")
    func changeWhileBusy() throws {
        let bench = try MarvinBench()
        bench.app.behaviour.timePerBook = .seconds(600)
        bench.afterLook = { bench, reply in
            if case .contents = reply { bench.app.behaviour.connection = .offline }
        }
        #expect(try bench.upload(twoBooks()).ending == .offline)
        #expect(try bench.connection().state == .offline)
    }

    @Test("Marvin may be stopped while it is busy with a book")
    func stopWhileBusy() throws {
        let bench = try MarvinBench()
        bench.app.behaviour.timePerBook = .seconds(600)
        bench.afterLook = { bench, reply in
            if case .contents = reply { bench.app.stop() }
        }
        #expect(try bench.upload(twoBooks()).ending == .offline)
        #expect(!bench.exists(bench.staged("connected.xml")))
    }

    @Test("Each status may be half-written at first")
    func halfStatus() throws {
        let bench = try bench("half-written-status")
        #expect(try bench.upload(twoBooks()).ending == .completed)
        #expect(bench.unreadableLooks > 0)
        #expect(try bench.leftovers().isEmpty)
    }

    @Test("An ill-formed command is answered with a failure, and the next one is taken")
    func illFormedCommand() throws {
        let bench = try MarvinBench()
        bench.afterLook = { _, _ in }
        let command = RawCommand(bytes: Array("<uploadbooks><manifest>".utf8), bench: bench)
        let status = try command.status()
        #expect(status.code == .failure)
        #expect(status.messages.first?.hasPrefix("upload_books.xml: ") == true)
        #expect(try bench.upload(twoBooks()).ending == .completed)
    }

    @Test("Every behaviour has its own name")
    func names() {
        #expect(Set(MarvinBehaviour.named.map(\.name)).count == MarvinBehaviour.named.count)
        #expect(MarvinBehaviour(named: "unheard-of") == nil)
    }
}

/// A command file that no encoder would write.
private struct RawCommand {
    let bytes: [UInt8]
    let bench: MarvinBench

    /// Sends the file and waits for the final status.
    func status() throws -> CommandStatus {
        try Data(bytes).write(to: bench.staged("upload_books.tmp"))
        try FileManager.default.moveItem(
            at: bench.staged("upload_books.tmp"), to: bench.staged("upload_books.xml"))
        while true {
            if case .contents(let bytes) = bench.perform(.read("/Library/calibre/status.xml")) {
                let status = try CommandStatus(decoding: bytes)
                if status.isFinal { return status }
            }
            guard case .done = bench.perform(.wait(.seconds(60))) else { continue }
        }
    }
}
