import OverlayTestSupport
import CSystemShims
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost

@Suite(
    "A worker with less confinement than the kernel offers does not run its overlay unnoticed",
    .enabled(if: Confinement.offered().inForce.contains("files (Landlock)")))
struct WeakerConfinementTests {
    /// So many sandboxes around a worker that it cannot add its own.
    private static let layers = ["LAYERS=16"]

    @Test(
        "Folders of libraries that cannot be opened are skipped, and the rest of the confinement holds",
        arguments: WorkerUser.all)
    func places(_ user: WorkerUser) throws {
        let folder = try TemporaryFolder()
        let loop = folder.path("loop")
        #expect(symlink(loop, loop) == 0)
        chmod(folder.path, 0o711)
        let places = [String(repeating: "x", count: 5000), loop, loop + "/deeper", "/etc/passwd/none"]
        let world = try ProbeWorld(user, ["LIBRARY_PATH=\"\(places.joined(separator: ":"))\""])
        let questions = ["openat -100 /etc/passwd 0", "openat -100 /etc 0", "file"]
        #expect(try world.answers(questions) == ["EACCES", "EACCES", "done"])
    }

    @Test(
        "Folders of libraries are skipped as well if a file system or a limit prevents opening them",
        arguments: WorkerUser.all)
    func refusedPlaces(_ user: WorkerUser) throws {
        // Folders of loaded libraries are readable as well.
        let (folder, preloading) = (try TemporaryFolder(), try TemporaryFolder())
        for path in [folder.path, preloading.path] { chmod(path, 0o711) }
        // The error of open(2) at the limit of descriptors, and below a mount whose file server has ended.
        let source = #"""
            #define _GNU_SOURCE
            #include <errno.h>
            #include <fcntl.h>
            #include <stdarg.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            static int open_or_refuse(const char *path, int flags, int mode) {
                const char *name = strrchr(path, '/');
                if ((flags & O_PATH) && name != NULL) {
                    errno = strcmp(name, "/EMFILE") == 0 ? EMFILE : strcmp(name, "/ENOTCONN") == 0 ? ENOTCONN : 0;
                    if (errno != 0) return -1;
                }
                return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
            }
            #define OPEN(name)                             \
                int name(const char *path, int flags, ...) { \
                    va_list rest;                          \
                    va_start(rest, flags);                 \
                    int mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
                    va_end(rest);                          \
                    return open_or_refuse(path, flags, mode); \
                }
            OPEN(open)
            OPEN(open64)
            """#
        let preloaded = preloading.path("refusing.so")
        try OverlayCompiler.compile(
            source, to: preloaded, standard: "gnu11", flags: ["-shared", "-fPIC", "-fvisibility=default"])
        let places = ["EMFILE", "ENOTCONN", "opened"].map { folder.path($0) }
        for place in places {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data("file".utf8).write(to: URL(fileURLWithPath: place + "/file"))
            chmod(place, 0o755)
            chmod(place + "/file", 0o644)
        }
        let world = try ProbeWorld(
            user,
            ["LIBRARY_PATH=\"\(places.joined(separator: ":"))\"", "PRELOADED=\"\(preloaded)\""])
        let questions = places.map { "openat -100 \($0)/file 0" }
        let answers = try world.answers(questions + ["file"])
        #expect(answers == ["EACCES", "EACCES", "done", "done"])
    }

    @Test(
        "Without a preference the overlay is refused, with the part that is missing",
        arguments: WorkerUser.all)
    func refused(_ user: WorkerUser) throws {
        let world = try ProbeWorld(user, Self.layers)
        let error = try #require(throws: HostError.self) { try world.load() }
        let refusal = try #require(error.underlying as? OverlayRefusal)
        #expect(refusal.code == .notConfined)
        #expect(refusal.message.contains("files (Landlock)"))
        #expect(refusal.hint?.contains("allow_weaker_isolation") == true)
    }

    @Test(
        "With the preference the overlay runs, and a warning says what is missing", arguments: WorkerUser.all)
    func allowed(_ user: WorkerUser) throws {
        let warnings = Mutex<[String]>([])
        let world = try ProbeWorld(user, Self.layers) { options in
            options.allowsWeakerIsolation = true
            options.warn = { sentence in warnings.withLock { $0.append(sentence) } }
        }
        #expect(try world.answers(["openat -100 /etc/passwd 0", "chdir /"]) == ["done", "EPERM"])
        let first = try #require(warnings.withLock { $0.first })
        #expect(first.contains("files (Landlock)") && !first.contains("seccomp"))
    }

    @Test("The program refuses such overlays until its preference is set, and then warns once")
    func program() throws {
        let world = try PluginWorld()
        for name in ["one", "two"] { try FixtureOverlay.build(world.file(name + ".so"), ["ID=\"\(name)\""]) }
        let launcher = try WorkerLauncher.build(in: world.folder, .same, Self.layers)
        func run(_ words: String...) throws -> ProgramResult {
            try runProgram(
                launcher, words,
                environment: [
                    "HOME": world.folder.path, "XDG_CONFIG_HOME": world.folder.path("config"),
                    "XDG_RUNTIME_DIR": world.folder.path("run"),
                ])
        }
        let refused = try run("overlays", "--plugins", world.plugins, "--json")
        #expect(refused.output.contains("\"not_confined\""), "\(refused)")
        #expect(try run("prefs", "set", "allow_weaker_isolation", "true").status == 0)
        let allowed = try run("overlays", "--plugins", world.plugins, "--json")
        #expect(allowed.status == 0 && !allowed.output.contains("not_confined"), "\(allowed)")
        #expect(allowed.errors.components(separatedBy: "files (Landlock)").count == 2, "\(allowed.errors)")
    }

    @Test("A part that options leave out, as on a kernel without it, is neither refused nor warned of")
    func lacking() throws {
        let warnings = Mutex(0)
        let world = try ProbeWorld { options in
            options.newestLandlock = 2
            options.withheld = UInt32(SHIM_THREADS)
            options.warn = { _ in warnings.withLock { $0 += 1 } }
        }
        #expect(try world.answer("openat -100 /etc/passwd 0") == "EACCES")
        #expect(warnings.withLock { $0 } == 0)
    }

    @Test("The command doctor shows the confinement that a worker really has")
    func doctor() throws {
        var options = WorkerOptions(program: try FaultyOverlay.program())
        let whole = Doctor.Check.isolation(.worker(options))
        #expect(whole.ok && whole.hint == nil)
        #expect(whole.message.contains("separate processes"))
        #expect(whole.message.contains("files (Landlock)") && !whole.message.contains("did not grant"))

        // The doctor does not report what the kernel offers, which is unchanged.
        let folder = try TemporaryFolder()
        options.program = try WorkerLauncher.build(in: folder, .same, Self.layers)
        let weaker = Doctor.Check.isolation(.worker(options))
        #expect(!weaker.ok && weaker.code == .overlayRefused)
        #expect(weaker.hint?.contains("allow_weaker_isolation") == true)
        #expect(weaker.message.contains("did not grant: files (Landlock)"))
        #expect(weaker.message.contains("An overlay can therefore read and write all your files."))
        options.allowsWeakerIsolation = true
        let allowed = Doctor.Check.isolation(.worker(options))
        #expect(allowed.ok && allowed.message == weaker.message)

        options.program = "/bin/true"
        let none = Doctor.Check.isolation(.worker(options))
        #expect(!none.ok && none.code == .overlayBroke)
    }

    @Test("The command doctor shows what the kernel lacks, and what an overlay can therefore do")
    func kernelLacks() throws {
        var options = WorkerOptions(program: try FaultyOverlay.program())
        options.withheld = UInt32(SHIM_SECCOMP)
        let check = Doctor.Check.isolation(.worker(options))
        #expect(check.ok)
        #expect(
            check.message.contains("The kernel does not support: a limit on threads, system calls (seccomp).")
        )
        #expect(check.message.contains("An overlay can therefore open sockets and start programs."))
    }

    @Test("Workers are started from the running program, also when its file has been removed since")
    func runningProgram() throws {
        let folder = try TemporaryFolder()
        let program = folder.path("overlayhost")
        try FileManager.default.copyItem(atPath: FaultyOverlay.program(), toPath: program)
        let launcher = folder.path("launcher")
        let source = #"""
            #define _GNU_SOURCE
            #include <errno.h>
            #include <fcntl.h>
            #include <stdio.h>
            #include <unistd.h>
            extern char **environ;
            int main(int count, char **words) {
                int program = open(words[1], O_RDONLY | O_CLOEXEC);
                if (unlink(words[1]) != 0) return 71;
                // Programs that other tests start have the copy open for writing until they run.
                do fexecve(program, words + 1, environ); while (errno == ETXTBSY);
                perror(words[1]);
                return 71;
            }
            """#
        try OverlayCompiler.compile(source, to: launcher, standard: "gnu11", flags: [])
        let result = try runProgram(
            launcher, [program, "doctor", "--json"],
            environment: [
                "LD_LIBRARY_PATH": buildProductsFolder().path, "HOME": folder.path,
                "USBMUXD_SOCKET_ADDRESS": "UNIX:" + folder.path("none"),
            ])
        try #require(!result.output.isEmpty, "\(result.status): \(result.errors)")
        let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let checks = try #require(document?["checks"] as? [[String: Any]], "\(result.output)\(result.errors)")
        let isolation = try #require(checks.first { $0["check"] as? String == "isolation" })
        #expect(isolation["ok"] as? Bool == true, "\(isolation)")
        #expect((isolation["message"] as? String)?.contains("separate processes") == true)
    }
}
