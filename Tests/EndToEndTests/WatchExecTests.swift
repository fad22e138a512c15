import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("watch --exec runs a command for each device that is plugged in")
struct WatchExecTests {
    private func lines(_ path: String) -> [String] {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map { String($0) }
    }

    @Test("The command finds the device in its environment, and a name is never a part of the command line")
    func environment() throws {
        let bench = try ReaderBench { $0.name = "$(touch pwned); `touch pwned` \"'" }
        let log = bench.folder.path("log")
        let program = try bench.start(
            "watch", "--json", "--exec",
            "cd \"$LOG_FOLDER\" && printf '%s|%s|%s\\n' \"$OVERLAYHOST_DEVICE\" \"$OVERLAYHOST_DEVICE_NAME\" \"$OVERLAYHOST_CONNECTION\" >> log",
            environment: ["LOG_FOLDER": bench.folder.path])
        try waitUntil { lines(log).count == 1 }
        #expect(lines(log) == ["\(bench.device.settings.udid)|$(touch pwned); `touch pwned` \"'|usb"])
        bench.daemon.detach(bench.device)
        #expect(program.line { $0.contains("\"detached\"") } != nil)
        bench.daemon.attach(bench.device)
        try waitUntil { lines(log).count == 2 }
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path("pwned")))
        program.interrupt()
        #expect(program.wait() == 130)
    }

    @Test("A command that hangs does not stop the watch, is not started twice, and ends with it")
    func hanging() throws {
        let bench = try ReaderBench()
        let log = bench.folder.path("log")
        let program = try bench.start(
            "watch", "--exec", "echo $$ >> \"$LOG\"; exec sleep 100000", environment: ["LOG": log])
        try waitUntil { lines(log).count == 1 }
        bench.daemon.detach(bench.device)
        #expect(program.line { $0.hasPrefix("detached") } != nil)
        bench.daemon.attach(bench.device)
        try waitUntil { program.errors.contains("still running") }
        #expect(lines(log).count == 1)
        let process = try #require(lines(log).first.flatMap { Int32($0) })
        #expect(kill(process, 0) == 0)
        program.interrupt()
        #expect(program.wait() == 130)
        try waitUntil { kill(process, 0) != 0 || zombie(process) }
    }

    @Test("A second Ctrl-C ends the watch at once, and its command with it")
    func endingAtOnce() throws {
        let bench = try ReaderBench()
        let log = bench.folder.path("log")
        // Its output is not read, so it waits at the first line, and cannot react to the first Ctrl-C.
        let program = try bench.startUnread("watch", "--exec", "echo $$ >> '\(log)'; exec sleep 100000")
        try waitUntil { lines(log).count == 1 }
        let process = try #require(lines(log).first.flatMap { Int32($0) })
        #expect(program.interruptUntilItEnds() == 130)
        try waitUntil { kill(process, 0) != 0 || zombie(process) }
    }

    /// Whether a process has ended and waits for its parent, which may never come in a container.
    private func zombie(_ process: Int32) -> Bool {
        let text = String(
            decoding: FileManager.default.contents(atPath: "/proc/\(process)/stat") ?? Data(), as: UTF8.self)
        return text.contains(") Z ")
    }

    @Test("A command that fails is named, and the watch goes on")
    func failing() throws {
        let bench = try ReaderBench()
        let program = try bench.start("watch", "--exec", "exit 7")
        try waitUntil { program.errors.contains("failed with exit status 7") }
        bench.daemon.detach(bench.device)
        #expect(program.line { $0.hasPrefix("detached") } != nil)
        program.interrupt()
        #expect(program.wait() == 130)
    }
}
