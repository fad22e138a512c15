import Glibc
import Platform

/// The places of the host's files, according to the XDG base directory specification.
///
/// ```swift
/// let paths = HostPaths(environment: ["HOME": "/home/reader"], executable: nil)
/// print(paths.preferencesFile)  // /home/reader/.config/overlayhost/prefs.json
/// ```
public struct HostPaths: Sendable {
    private let environment: [String: String]
    /// The running program's file, with all symbolic links resolved; nil if unknown.
    public let executable: String?
    /// Whether `executable` is the program of this process.
    private let isRunning: Bool

    /// Creates the paths for an environment and an executable. Both are parameters for tests and embedding programs.
    public init(environment: [String: String], executable: String?) {
        self.init(environment: environment, executable: executable, isRunning: false)
    }

    private init(environment: [String: String], executable: String?, isRunning: Bool) {
        self.environment = environment
        self.executable = executable
        self.isRunning = isRunning
    }

    /// The program of this process, even if another file has replaced it.
    package static let runningProgram = "/proc/self/exe"

    /// The program to start as a worker (`WorkerOptions.program`): the program of this process, even if another file
    /// has replaced it, or `executable` if that is another program.
    public var workerProgram: String {
        guard !isRunning, let executable else { return Self.runningProgram }
        return executable
    }

    /// The paths for this process.
    public static func current() -> HostPaths {
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { environment[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(runningProgram, &buffer, buffer.count)
        let executable =
            count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        return HostPaths(environment: environment, executable: executable, isRunning: true)
    }

    /// These paths with another executable, such as the program that belongs to a library which this process uses.
    public func with(executable: String?) -> HostPaths {
        HostPaths(environment: environment, executable: executable)
    }

    /// The working directory of this process, without symbolic links; nil if it has been removed.
    public static var workingDirectory: String? {
        guard let path = realpath(".", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// `prefs.json` in the configuration folder.
    public var preferencesFile: String { configuration + "/prefs.json" }

    /// `$XDG_CONFIG_HOME/overlayhost`.
    public var configuration: String { base("XDG_CONFIG_HOME", ".config") + "/overlayhost" }

    /// `$XDG_CACHE_HOME/overlayhost`.
    public var caches: String { base("XDG_CACHE_HOME", ".cache") + "/overlayhost" }

    /// `$XDG_DATA_HOME/overlayhost`.
    public var data: String { base("XDG_DATA_HOME", ".local/share") + "/overlayhost" }

    /// `$XDG_STATE_HOME/overlayhost`.
    public var state: String { base("XDG_STATE_HOME", ".local/state") + "/overlayhost" }

    /// The user's trash: `$XDG_DATA_HOME/Trash`.
    public var trash: String { base("XDG_DATA_HOME", ".local/share") + "/Trash" }

    /// `$XDG_RUNTIME_DIR`, if set.
    public var runtime: String? { absolute("XDG_RUNTIME_DIR") }

    /// `$TMPDIR`, or `/tmp` if it is not set.
    public var temporary: String { absolute("TMPDIR") ?? "/tmp" }

    /// The folders in `$OVERLAYHOST_PLUGINS`, separated by colons.
    public var environmentPlugins: [String] {
        (environment["OVERLAYHOST_PLUGINS"] ?? "").split(separator: ":").map { String($0) }
    }

    /// The first executable file with this name in the absolute folders of `$PATH`; nil if there is none.
    package func program(_ name: String) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.lazy.map { "\($0)/\(name)" }.first { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
        }
    }

    /// The path with a leading `~/` replaced by the user's home folder.
    package func expandingHome(_ path: String) -> String {
        path.utf8.starts(with: "~/".utf8) ? home + path.dropFirst() : path
    }

    /// The absolute path in a variable. Relative paths are ignored, as the specification requires.
    private func absolute(_ variable: String) -> String? {
        guard let path = environment[variable], path.isAbsolutePath else { return nil }
        return path
    }

    private func base(_ variable: String, _ standard: String) -> String {
        absolute(variable) ?? home + "/" + standard
    }

    private var home: String {
        if let home = absolute("HOME") { return home }
        var record = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(getuid(), &record, &buffer, buffer.count, &result) == 0,
            let folder = result?.pointee.pw_dir
        else { return "/" }
        return String(cString: folder)
    }
}
