import Foundation
import Synchronization

/// What a program left when it ended.
public struct ProgramResult: Sendable {
    /// The exit status, or 128 plus the signal that ended it.
    public var status: Int32
    /// Everything it wrote to standard output, damaged UTF-8 repaired.
    public var output: String
    /// Everything it wrote to standard error, damaged UTF-8 repaired.
    public var errors: String
    /// Whether it was killed because it did not end in time.
    public var timedOut: Bool
}

/// Runs a program to its end, or kills it when `limit` seconds have passed.
///
/// - Parameters:
///   - program: a path, or a name looked up in `PATH`.
///   - environment: added to the environment of the tests; nil removes a variable.
///   - input: what the program reads from standard input.
public func runProgram(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:], input: String = "",
    folder: URL? = nil, limit: Double = 60
) throws -> ProgramResult {
    let process = Process()
    if program.contains("/") {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
    } else {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
    }
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    if let folder { process.currentDirectoryURL = folder }

    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()

    let output = Collected(stdout.fileHandleForReading)
    let errors = Collected(stderr.fileHandleForReading)
    if !input.isEmpty { stdin.fileHandleForWriting.write(Data(input.utf8)) }
    try stdin.fileHandleForWriting.close()

    var timedOut = false
    if ended.wait(timeout: .now() + limit) == .timedOut {
        timedOut = true
        kill(process.processIdentifier, SIGKILL)
        ended.wait()
    }
    let status =
        process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    return ProgramResult(status: status, output: output.text(), errors: errors.text(), timedOut: timedOut)
}

/// Whether a program can be found in `PATH`.
public func programIsInstalled(_ name: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}

/// Reads a pipe to its end on a thread of its own, so that a program that writes much is never held up.
private final class Collected: Sendable {
    private let data = Mutex(Data())
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread.detachNewThread { [self] in
            let all = handle.readDataToEndOfFile()
            data.withLock { $0 = all }
            done.signal()
        }
    }

    func text() -> String {
        done.wait()
        return String(decoding: data.withLock { $0 }, as: UTF8.self)
    }
}
