import Foundation

/// Runs `overlayhost` like a user, but with its own files instead of the user's.
struct HostFolder {
    private let home: URL
    private let program: String

    /// A folder for the program's files, with a copy of each of these overlays of the build folder.
    init(_ home: URL, overlays: [String] = ["Documents", "GoodReader", "Kindle", "IBooks", "Marvin"]) throws {
        self.home = home
        program = try ProgramRun.sibling("overlayhost")
        let plugins = home.appendingPathComponent("plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        for name in overlays {
            let library = name == "Lantern" ? "libLanternExample.so" : "lib\(name)Overlay.so"
            try FileManager.default.copyItem(
                at: URL(fileURLWithPath: try ProgramRun.sibling(library)),
                to: plugins.appendingPathComponent(library))
        }
    }

    /// The output of the last run.
    var output: String { home.path + "/output" }

    /// Environment variables with the paths of the program's files and overlays.
    var environment: [String: String] {
        [
            "XDG_CACHE_HOME": home.path + "/caches", "XDG_DATA_HOME": home.path + "/data",
            "XDG_CONFIG_HOME": home.path + "/configuration", "XDG_STATE_HOME": home.path + "/state",
            "OVERLAYHOST_PLUGINS": home.path + "/plugins",
        ]
    }

    /// One run of the program.
    func run(_ words: [String]) throws -> ProgramRun {
        try ProgramRun.of([program] + words, environment, output: output)
    }

    /// Removes all caches of earlier runs; with `overlays`, also what they recorded about overlays.
    func forget(overlays: Bool = false) throws {
        for name in ["caches", "data"] {
            let folder = home.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: folder.path) else { continue }
            try FileManager.default.removeItem(at: folder)
        }
        if overlays { _ = try run(["overlays"]) }
    }

    /// The number of system calls of one run, with its workers; nil if strace is not installed.
    func systemCalls(_ words: [String]) throws -> Int? {
        guard let strace = ProgramRun.installed("strace") else { return nil }
        let counts = home.path + "/counts"
        _ = try ProgramRun.of(
            [strace, "-f", "-c", "-o", counts, program] + words, environment, output: output)
        let lines = try String(contentsOfFile: counts, encoding: .utf8).split(separator: "\n")
        // The last line: percent, seconds, microseconds for each call, calls, errors, "total".
        let total = lines.last { $0.hasSuffix("total") }?.split(separator: " ") ?? []
        return total.count >= 4 ? Int(total[3]) : nil
    }
}
