import Foundation
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A worker reaches nothing but what the services give it")
struct ConfinementTests {
    /// What an overlay in a worker answers to these questions.
    private func ask(_ questions: [String]) throws -> [String] {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        return try questions.map { try instance.ask($0) }
    }

    @Test(
        "The system calls of others' business are refused",
        .enabled(if: Confinement.offered().inForce.contains("system calls (seccomp)")))
    func calls() throws {
        let forbidden = [
            "socket", "unix socket", "exec", "fork", "ptrace", "kill the host", "leave the group",
            "outlive the host",
        ]
        for (call, answer) in zip(forbidden, try ask(forbidden)) { #expect(answer == "EPERM", "\(call)") }
    }

    @Test(
        "Files are out of reach, but for libraries and a folder of its own",
        .enabled(if: Confinement.offered().inForce.contains("files (Landlock)")))
    func files() throws {
        let secret = try TemporaryFolder()
        try Data("x".utf8).write(to: secret.url.appendingPathComponent("secret"))
        let home = secret.path("secret")
        #expect(
            try ask([
                "read \(home)", "read /etc/passwd", "read /proc/self/environ", "write \(secret.path("new"))",
            ])
                == ["EACCES", "EACCES", "EACCES", "EACCES"])
        #expect(try ask(["scratch", "read /usr/lib/os-release"]) == ["done", "done"])
        #expect(!FileManager.default.fileExists(atPath: secret.path("new")))
    }

    @Test("It can never gain privileges")
    func privileges() throws { #expect(try ask(["new privileges"]) == ["never"]) }

    @Test("It has the descriptors of its connection and no other")
    func descriptors() throws { #expect(try ask(["descriptors"]) == ["0 1 2 3 4 "]) }

    @Test("Its environment tells nothing of the person")
    func environment() throws {
        let names = try ask(["environment"])[0].split(separator: " ").map { String($0) }
        let known = [
            "PATH", "SWIFT_BACKTRACE", "TMPDIR", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
            "LD_LIBRARY_PATH",
        ]
        #expect(names.allSatisfy { known.contains($0) }, "\(names)")
        #expect(names.contains("TMPDIR"))
    }

    @Test("Its folder is gone when it has ended")
    func scratch() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        let folder = try instance.ask("where is scratch")
        let process = try #require(Int32(try instance.ask("process")))
        #expect(FileManager.default.fileExists(atPath: folder))
        #expect(kill(process, 0) == 0)
        instance.destroy()
        try waitUntil { !FileManager.default.fileExists(atPath: folder) && kill(process, 0) != 0 }
    }
}
