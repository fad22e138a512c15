import Foundation
import Glibc
import SimulatedDevice
import TestSupport
import Testing

@Suite("Signals end a command cleanly, a second Ctrl-C ends it at once, and nohup keeps it running")
struct SignalTests {
    @Test("Ctrl-C while books cross a slow cable ends with 130 and leaves nothing of them on the device")
    func slowCable() throws {
        let bench = try ReaderBench { $0.bandwidth = 1_000_000_000 }
        let device = bench.device
        device.onFileRequest { request in
            guard request.operation == "FILE_OPEN", request.path?.hasSuffix(".part") == true else { return }
            // From here on the cable is slow, so that the content is in the sockets when Ctrl-C comes.
            do { try device.update { $0.bandwidth = 40_000 } } catch { Issue.record(error) }
        }
        let books = try [RealBooks.developersReference().path, RealBooks.history("ko").path]
        let program = try bench.start("upload", books[0], books[1], "--json")
        #expect(device.waits(for: "afc.FILE_WRITE"))
        program.interrupt()
        #expect(program.wait() == 130, "\(program.errors)")
        #expect(try bench.staged().isEmpty)
        // Data that were still on the cable when the program ended change nothing.
        bench.daemon.detach(device)
        #expect(try bench.staged().isEmpty)
    }

    @Test("A second Ctrl-C ends a program at once that cannot react to the first")
    func secondControlC() throws {
        let bench = try ReaderBench()
        // Its output is not read, so it waits forever at the first line.
        let program = try bench.startUnread("prefs", "list", "--json")
        #expect(program.interruptUntilItEnds() == 130)
    }

    @Test(
        "Ctrl-C at the question of delete ends with 130 and deletes nothing",
        .enabled(if: programIsInstalled("script")))
    func question() throws {
        let bench = try ReaderBench(books: [try RealBooks.history("en")])
        let book = try #require(try bench.json("books").texts("books", "path").first)
        let program = try bench.startAtTerminal("delete '\(book)'")
        #expect(program.prints("[y/N]"), "\(program.output)")
        program.type("\u{3}")
        #expect(program.wait() == 130, "\(program.output)")
        #expect(program.output.contains("Nothing was deleted."))
        #expect(try bench.json("books").rows("books").count == 1)
    }

    @Test("Under nohup the program continues after the terminal is closed")
    func hangup() throws {
        let bench = try ReaderBench()
        let device = bench.device
        let underWay = Gate()
        device.onFileRequest { request in
            if request.operation == "FILE_OPEN", request.path?.hasSuffix(".part") == true { underWay.open() }
        }
        try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "FILE_WRITE")]) }
        let program = try bench.startIgnoringHangup("upload", RealBooks.history("lt").path, "--json")
        #expect(underWay.wait())
        program.send(SIGHUP)
        try device.update { $0.faults = FaultPlan() }
        #expect(program.wait() == 0, "\(program.errors)")
        #expect(program.output.contains("\"added\""))
    }

    @Test("Without nohup the end of the terminal cancels, and nothing stays staged")
    func terminalCloses() throws {
        let bench = try ReaderBench()
        let device = bench.device
        let underWay = Gate()
        device.onFileRequest { request in
            if request.operation == "FILE_OPEN", request.path?.hasSuffix(".part") == true { underWay.open() }
        }
        try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "FILE_WRITE", times: 1)]) }
        let program = try bench.start("upload", RealBooks.history("lt").path, "--json")
        #expect(underWay.wait())
        program.send(SIGHUP)
        #expect(program.wait() == 130)
        #expect(try bench.staged().isEmpty)
    }
}

extension SimulatedDevice {
    /// Waits until a request of this name has begun to arrive; returns false after five minutes.
    fileprivate func waits(for name: String) -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(300))
        while counters.requests[name] == nil {
            guard ContinuousClock.now < end else { return false }
            poll(nil, 0, 1)
        }
        return true
    }
}
