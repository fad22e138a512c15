import OverlayTestSupport
import Foundation
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

/// The user of a worker.
enum WorkerUser: String, CaseIterable, CustomTestStringConvertible {
    /// The user of the tests.
    case same
    /// A user without any rights. Only root can start a worker as another user; for a normal user `same` has no
    /// rights either.
    case other

    /// All users that are possible here.
    static var all: [WorkerUser] { geteuid() == 0 ? allCases : [.same] }

    /// The number of the user `nobody`, who owns no files.
    static let otherNumber: UInt32 = 65_534

    var number: UInt32 { self == .other ? Self.otherNumber : geteuid() }

    var testDescription: String { self == .other ? "as another user" : "as the user of the tests" }
}

/// A program in C that is started instead of a worker. It changes the environment, and then becomes the worker.
enum WorkerLauncher {
    private static let source = #"""
        #define _GNU_SOURCE
        #include <grp.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/prctl.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        /* Lets other users reach a file below the folder of the tests. */
        static void open_up(const char *file) {
            char path[4096];
            size_t whole = strlen(file), folder = strlen(FOLDER);
            if (whole >= sizeof path || strncmp(file, FOLDER, folder) != 0) return;
            for (size_t size = folder; size < whole; size++) {
                struct stat status;
                if (file[size] != '/') continue;
                snprintf(path, sizeof path, "%.*s", (int)size, file);
                if (stat(path, &status) == 0) chmod(path, status.st_mode | 0111);
            }
        }

        int main(int count, char **words) {
        #ifdef USER
            if (count > 4) {
                open_up(words[3]);
                open_up(words[4]);
                chmod(words[3], 0755);
                if (chown(words[4], USER, USER) != 0) return 71;
            }
            if (setgroups(0, NULL) != 0 || setresgid(USER, USER, USER) != 0 || setresuid(USER, USER, USER) != 0) return 71;
        #endif
        #ifdef LIBRARY_PATH
            setenv("LD_LIBRARY_PATH", LIBRARY_PATH, 1);
        #endif
        #ifdef PRELOADED
            setenv("LD_PRELOAD", PRELOADED, 1);
        #endif
        #ifdef LAYERS
            /* As many sandboxes around the worker as the kernel allows, each without effect here. */
            uint64_t character_devices = 1 << 6;
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            for (int layer = 0; layer < LAYERS; layer++) {
                int rules = (int)syscall(444, &character_devices, sizeof character_devices, 0);
                syscall(446, rules, 0);
                close(rules);
            }
        #endif
            execv(PROGRAM, words);
            perror(PROGRAM);
            return 71;
        }
        """#

    /// Compiles it with `LIBRARY_PATH="…"`, the folders of the dynamic linker, `PRELOADED="…"`, a library to load
    /// first, or `LAYERS=…`, the number of sandboxes around the worker.
    static func build(in folder: TemporaryFolder, _ user: WorkerUser, _ macros: [String] = []) throws
        -> String
    {
        let file = folder.path("launcher")
        let user = user == .other ? ["USER=\(user.number)"] : []
        let program = try FaultyOverlay.program()
        let texts = ["PROGRAM=\"\(program)\"", "FOLDER=\"\(ProcessFolder.url.path)\""]
        try OverlayCompiler.compile(source, to: file, texts + user + macros, standard: "gnu11", flags: [])
        return file
    }
}

/// The probing overlay in a worker, with a fake device.
final class ProbeWorld {
    let world: PluginWorld
    private let environment: FakeEnvironment
    private let isolation: OverlayIsolation

    init(
        _ user: WorkerUser = .same, _ macros: [String] = [],
        _ change: (inout WorkerOptions) -> Void = { _ in }
    ) throws {
        world = try PluginWorld(environment: ["TMPDIR": FileManager.default.temporaryDirectory.path])
        environment = try FakeEnvironment()
        try ProbeOverlay.build(world.file("probe.so"))
        let isPlain = user == .same && macros.isEmpty
        let program =
            try isPlain ? FaultyOverlay.program() : WorkerLauncher.build(in: world.folder, user, macros)
        var options = WorkerOptions(program: program)
        change(&options)
        isolation = .worker(options)
    }

    /// Loads the overlay.
    func load() throws -> LoadedOverlay {
        try OverlayDiscovery(paths: world.paths, isolation: isolation).load(world.file("probe.so"))
    }

    /// The answers of the overlay to the questions.
    func answers(_ questions: [String]) throws -> [String] {
        let instance = try environment.instance(of: load())
        defer { instance.destroy() }
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        return try questions.map { try instance.ask($0) }
    }

    func answer(_ question: String) throws -> String { try answers([question])[0] }
}
