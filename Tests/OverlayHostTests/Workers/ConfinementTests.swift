import OverlayTestSupport
import Foundation
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost

@Suite("A worker has access only to what the services give it")
struct ConfinementTests {
    /// The answers of an overlay in a worker to these questions.
    private func ask(_ questions: [String]) throws -> [String] {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        return try questions.map { try instance.ask($0) }
    }

    @Test(
        "System calls that affect others are refused",
        .enabled(if: Confinement.offered().inForce.contains("system calls (seccomp)")))
    func calls() throws {
        let forbidden = [
            "socket", "unix socket", "socketpair", "connect", "exec", "exec memory", "fork", "vfork",
            "ptrace",
            "ptrace the host", "memory of the host", "descriptors of the host", "kill the host", "kill all",
            "kill the group", "queue a signal", "limits of the host", "more memory", "namespace", "mount",
            "chroot", "shared memory", "new session", "leave the group", "outlive the host",
        ]
        for (call, answer) in zip(forbidden, try ask(forbidden)) { #expect(answer == "EPERM", "\(call)") }
        // These files do not exist, and the C library works without them.
        #expect(try ask(["clone3", "ring"]) == ["ENOSYS", "ENOSYS"])
        #expect(try ask(["kill itself", "seccomp off"]) == ["done", "never"])
    }

    @Test(
        "A worker cannot open files, except libraries and those in its own folder",
        .enabled(if: Confinement.offered().inForce.contains("files (Landlock)")))
    func files() throws {
        let secret = try TemporaryFolder()
        let home = secret.path("secret")
        try Data("x".utf8).write(to: URL(fileURLWithPath: home))
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let copy = world.overlay.loadedFile
        let folder = String(copy[..<(copy.lastIndex(of: "/") ?? copy.endIndex)])
        let host = getpid()
        for forbidden in [
            "read \(home)", "change \(home)", "remove \(home)", "link \(home)", "read /etc/passwd",
            "read /etc/shadow", "list /home", "list /proc", "list \(secret.path)", "list /tmp",
            "read /proc/self/environ", "read /proc/\(host)/environ", "read /proc/\(host)/mem",
            "change /proc/\(host)/mem", "change /proc/self/mem", "read /dev/tty", "list /dev",
            "write \(secret.path("new"))", "write \(folder)/new.so", "change \(copy)", "remove \(copy)",
            "list \(folder)",
        ] {
            #expect(try instance.ask(forbidden) == "EACCES", "\(forbidden)")
        }
        // Moving a file from one folder to another is refused like a move between two devices.
        #expect(["EACCES", "EXDEV"].contains(try instance.ask("steal \(home)")))
        for allowed in ["scratch", "read /usr/lib/os-release", "read \(copy)"] {
            #expect(try instance.ask(allowed) == "done", "\(allowed)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: secret.path) == ["secret"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: home)) == Data("x".utf8))
    }

    @Test("If the kernel lacks the means, an overlay works unconfined, and the other limits still hold")
    func lacking() throws {
        let world = try WorkerWorld([]) { $0.withheld = .max }
        let instance = try world.attached()
        defer { instance.destroy() }
        #expect(try instance.ask("read /etc/passwd") == "done")
        #expect(try instance.ask("unix socket") == "done")
        #expect(try instance.ask("new privileges") == "never")
        #expect(try instance.ask("descriptors") == "0 1 2 3 4 5 6 ")
        #expect(try instance.ask("unknown children") == "none")
        #expect(try instance.books().count == 20_000)
    }

    @Test("Processes that a worker starts, where it can, end with it")
    func children() throws {
        let world = try WorkerWorld([]) { $0.withheld = .max }
        let instance = try world.attached()
        let child = try #require(Int32(try instance.ask("stay")))
        #expect(kill(child, 0) == 0)
        instance.destroy()
        try waitUntil { try hasEnded(child) }
    }

    @Test("A worker can never gain privileges")
    func privileges() throws { #expect(try ask(["new privileges"]) == ["never"]) }

    @Test("A worker has the descriptors of its connection and no others")
    func descriptors() throws { #expect(try ask(["descriptors"]) == ["0 1 2 3 4 "]) }

    @Test("A worker's environment has no information about the user")
    func environment() throws {
        let names = try ask(["environment"])[0].split(separator: " ").map { String($0) }
        let known = [
            "PATH", "SWIFT_BACKTRACE", "TMPDIR", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
            "LD_LIBRARY_PATH",
        ]
        #expect(names.allSatisfy { known.contains($0) }, "\(names)")
        #expect(names.contains("TMPDIR"))
    }

    @Test("A worker's folder is removed when it has ended")
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
