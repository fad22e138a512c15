import DeviceTransport
import Foundation
import OverlayWorkers
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A system program that reads untrusted files is confined")
struct ConfinedProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A script that is started as the program. It can use only built-in commands of the shell.
    private func program(_ script: String) throws -> ConfinedProgram {
        let path = folder.path("program")
        // A file that this process, or a child of another test, has open for writing cannot be started.
        let writing = try runProgram(
            "/bin/sh", ["-c", #"cat > "$1" && chmod 755 "$1""#, "sh", path], input: "#!/bin/sh\n" + script)
        try #require(writing.status == 0)
        return ConfinedProgram(
            path: path, launcher: try buildProductsFolder().appendingPathComponent("overlayhost").path)
    }

    private func file(_ name: String, _ content: String) throws -> String {
        try Data(content.utf8).write(to: folder.url.appendingPathComponent(name))
        return folder.path(name)
    }

    private func output(
        _ script: String, _ arguments: [String] = [],
        _ limits: ConfinedProgram.Limits = ConfinedProgram.Limits(output: 1 << 20),
        _ cancellation: Cancellation = Cancellation()
    ) throws -> String {
        let input = try file("input", "what it may read\n")
        let bytes = try program(script).run(arguments + [input], reading: input, limits, cancellation)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func failure(_ script: String) -> HostError? {
        do {
            _ = try output(script)
            return nil
        } catch {
            return error as? HostError
        }
    }

    @Test("The program reads its file, and its output comes back")
    func reads() throws {
        #expect(try output(#"read line < "$2"; echo "$1: $line""#, ["a b"]) == "a b: what it may read\n")
    }

    @Test(
        "The program reads no other file, writes none, and starts no other process",
        .enabled(if: Confinement.offered().consequences.isEmpty))
    func refused() throws {
        let secret = try file("secret", "private\n")
        let script = """
            read line < '\(secret)' && echo "read $line"
            echo x > '\(folder.path("new"))' && echo written
            [ -n "$XDG_RUNTIME_DIR$USER" ] && echo "environment"
            echo end
            """
        #expect(try output(script) == "end\n")
        // A shell that cannot start a process ends.
        #expect(failure("/bin/ls / && echo started")?.message == "The program ended with exit status 2.")
        #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
    }

    @Test("Only a bounded part of the output is taken, and the program is then stopped")
    func bounded() throws {
        let endless = "while :; do echo 0123456789; done"
        let text = try output(endless, [], ConfinedProgram.Limits(output: 1_000))
        #expect(text.utf8.count == 1_000)
    }

    @Test("A program that fails, computes forever or cannot be started has its own kind of error")
    func failures() throws {
        #expect(failure("exit 3")?.code == .rejected)
        #expect(failure("exit 3")?.message == "The program ended with exit status 3.")
        #expect(failure("kill -9 $$")?.code == .busy)
        let missing = ConfinedProgram(
            path: folder.path("missing"),
            launcher: try buildProductsFolder().appendingPathComponent("overlayhost").path)
        let limits = ConfinedProgram.Limits(output: 10)
        #expect(
            throws: HostError(
                .failed, "The program cannot be started.", subject: folder.path("missing"),
                hint: "Check that the file is executable.")
        ) {
            try missing.run([], reading: folder.path("missing"), limits, Cancellation())
        }
        #expect(throws: HostError.self) {
            try output("while :; do :; done", [], ConfinedProgram.Limits(output: 10, time: .seconds(1)))
        }
    }

    @Test("A confined program can be cancelled")
    func cancelled() throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        do {
            _ = try output("while :; do :; done", [], ConfinedProgram.Limits(output: 10), cancellation)
            Issue.record("It has ended.")
        } catch let error as HostError {
            #expect(error.code == .cancelled)
        }
        let later = Cancellation()
        let thread = Thread { later.cancel() }
        thread.start()
        do {
            _ = try output("while :; do :; done", [], ConfinedProgram.Limits(output: 10), later)
            Issue.record("It has ended.")
        } catch let error as HostError {
            #expect(error.code == .cancelled)
        }
    }
}
