import Foundation

/// The cost of one run of a program, including the processes that it waited for.
struct ProgramRun {
    var seconds: Double
    /// Seconds of processor.
    var processor: Double
    /// The peak memory of the largest process, in MB.
    var megabytes: Double

    /// A program in the same folder as this one, such as `overlayhost`.
    static func sibling(_ name: String) throws -> String {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: executable).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// The path of a program in `PATH`; nil if it is not installed.
    static func installed(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end; throws unless it ends with status 0.
    ///
    /// Another, new process of this program starts it, because a process begins with the memory of its parent.
    ///
    /// - Parameters:
    ///   - words: the program's file and its arguments.
    ///   - environment: differences from the environment of this process.
    ///   - output: the file for the output of the program.
    static func of(
        _ words: [String], _ environment: [String: String] = [:], output: String = "/dev/null"
    ) throws -> ProgramRun {
        let process = Process()
        let answer = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = [mark, output] + words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = answer
        try process.run()
        // Read to the end of the line. A background process may hold the pipe open after that.
        var text = ""
        while !text.contains("\n") {
            let piece = answer.fileHandleForReading.availableData
            guard !piece.isEmpty else { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        process.waitUntilExit()
        let numbers = text.split { $0.isWhitespace }.compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 3 else {
            throw BenchmarkFailure(
                "\(words.prefix(4).joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return ProgramRun(seconds: numbers[0], processor: numbers[1], megabytes: numbers[2])
    }

    /// The first argument of the process that starts another.
    private static let mark = "--run"

    /// If this process was started to run another program: runs that program, prints its cost, and exits with its
    /// status.
    static func runIfAsked() throws {
        let words = CommandLine.arguments
        guard words.count > 3, words[1] == mark else { return }
        // A background process must not hold the pipes that `Process` waits for.
        for descriptor in Int32(3)..<256 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, words[2], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let arguments = words.dropFirst(3).map { strdup($0) } + [nil]
        var process = pid_t()
        var status: Int32 = 0
        var usage = rusage()
        let seconds = try Stopwatch.seconds {
            guard posix_spawn(&process, words[3], &actions, nil, arguments, environ) == 0 else {
                throw BenchmarkFailure("\(words[3]) cannot be run")
            }
            wait4(process, &status, 0, &usage)
        }
        print("\(seconds) \(Cost.processorSeconds(usage)) \(Double(usage.ru_maxrss) / 1000)")
        exit(status == 0 ? 0 : max(1, (status >> 8) & 0xFF))
    }
}

extension [ProgramRun] {
    /// The run with the median time.
    var median: ProgramRun? { isEmpty ? nil : sorted { $0.seconds < $1.seconds }[count / 2] }
}
