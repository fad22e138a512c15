import Foundation
import Glibc

/// The result of a program.
public struct ProgramResult: Sendable {
    /// The exit status, or 128 plus the signal that ended it.
    public var status: Int32
    /// Its standard output, with damaged UTF-8 repaired.
    public var output: String
    /// Its standard error, with damaged UTF-8 repaired.
    public var errors: String
    /// Whether it was killed because of the time limit.
    public var timedOut: Bool
}

/// Why a program could not be run.
public struct ProgramFailure: Error {
    /// The reason as one sentence.
    public var message: String
}

/// Runs a program to its end, or kills it when `limit` seconds have passed.
///
/// A program that goes on in the background, as file systems do, has ended when the process started here has.
///
/// - Parameters:
///   - program: a path, or a name looked up in `PATH`.
///   - environment: added to the environment of the tests; nil removes a variable.
///   - input: what the program reads from standard input.
///   - folder: the working folder; that of the tests when nil.
public func runProgram(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:], input: String = "",
    folder: URL? = nil, limit: Double = 300
) throws -> ProgramResult {
    // Files instead of pipes, because they never fill up, and a process that still holds them does not block the
    // reader.
    let files = try TemporaryFolder()
    try Data(input.utf8).write(to: files.url.appendingPathComponent("in"))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, files.path("in"), O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, files.path("out"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, files.path("err"), O_WRONLY | O_CREAT | O_APPEND, 0o600)

    // A process inherits blocked and ignored signals, but programs expect to start without any.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    var process = pid_t()
    let command = (folder.map { ["env", "-C", $0.path] } ?? []) + [program] + arguments
    let error = withStrings(command) { arguments in
        withStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
            posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
        }
    }
    guard error == 0 else {
        throw ProgramFailure(message: "\(program) does not start: \(String(cString: strerror(error)))")
    }
    let (status, timedOut) = wait(for: process, limit: limit)
    return ProgramResult(
        status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
        output: String(
            decoding: try Data(contentsOf: files.url.appendingPathComponent("out")), as: UTF8.self),
        errors: String(
            decoding: try Data(contentsOf: files.url.appendingPathComponent("err")), as: UTF8.self),
        timedOut: timedOut)
}

/// Writes a script that can be run at once.
///
/// Another process writes it. Processes of other tests inherit this process's descriptors, and a program that is open
/// for writing cannot run.
public func writeProgram(_ script: String, to file: URL) throws {
    let written = try runProgram(
        "sh", ["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh", file.path], input: script)
    guard written.status == 0 else { throw ProgramFailure(message: written.errors) }
}

/// Whether a program can be found in `PATH`.
public func programIsInstalled(_ name: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}

/// The wait status of a process, which is killed when `limit` seconds have passed.
private func wait(for process: pid_t, limit: Double) -> (status: Int32, timedOut: Bool) {
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var status: Int32 = 0  // Written before the semaphore is signalled, read after.
    Thread.detachNewThread {
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        ended.signal()
    }
    guard ended.wait(timeout: .now() + limit) == .timedOut else { return (status, false) }
    kill(process, SIGKILL)
    ended.wait()
    return (status, true)
}

private func withStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
