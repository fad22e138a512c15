import Foundation
import Synchronization

/// A program that runs while the test continues.
final class RunningProgram: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    private let text = Mutex((output: Data(), errors: Data()))
    private let drained = DispatchGroup()
    private let arrived = DispatchSemaphore(value: 0)

    /// Starts it. Unless `isRead`, its standard output is a pipe that stays full. Its standard input is empty unless
    /// `isTypedInto`.
    init(
        _ program: String, _ arguments: [String], environment: [String: String?], isRead: Bool = true,
        isTypedInto: Bool = false
    ) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        let (stdout, stderr) = (Pipe(), Pipe())
        process.standardOutput = stdout
        process.standardError = stderr
        process.standardInput = isTypedInto ? input : FileHandle.nullDevice
        process.terminationHandler = { [ended] _ in ended.signal() }
        if !isRead { fill(stdout.fileHandleForWriting.fileDescriptor) }
        try process.run()
        if isRead { collect(stdout) { $0.output.append($1) } }
        collect(stderr) { $0.errors.append($1) }
    }

    /// Its process id.
    var identifier: Int32 { process.processIdentifier }

    /// Writes to its standard input, if requested at the start; returns false if it has ended.
    @discardableResult
    func type(_ text: String) -> Bool {
        // A pipe without a reader ends this process with all its tests, unless the signal is blocked and accepted.
        var (broken, former, now) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        do {
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            return true
        } catch {
            _ = sigtimedwait(&broken, nil, &now)
            return false
        }
    }

    /// Sends a signal, as Ctrl-C does.
    func interrupt() { send(SIGINT) }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Sends Ctrl-C repeatedly until it ends, and returns the exit status.
    func interruptUntilItEnds() -> Int32 {
        for _ in 0..<1200 {
            interrupt()
            guard ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut else {
                ended.signal()
                break
            }
        }
        return wait()
    }

    /// Waits for the end and returns the exit status. Kills the program after five minutes.
    func wait() -> Int32 {
        if ended.wait(timeout: .now() + 300) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
        }
        drained.wait()
        return process.terminationReason == .exit
            ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Its first line, as soon as it is printed; nil if there is none within five minutes.
    func firstLine() -> String? { line { _ in true } }

    /// The first complete line that fits, as soon as it is printed; nil after five minutes without output.
    func line(_ fits: (String) -> Bool) -> String? {
        while true {
            let output = self.output
            if let end = output.lastIndex(of: "\n"),
                let line = output[..<end].split(separator: "\n", omittingEmptySubsequences: false)
                    .map({ String($0) }).first(where: fits)
            {
                return line
            }
            guard arrived.wait(timeout: .now() + 300) == .success else { return nil }
        }
    }

    /// Whether it prints this text, perhaps in the middle of a line, before five minutes pass without output.
    func prints(_ text: String) -> Bool {
        while !output.contains(text) {
            guard arrived.wait(timeout: .now() + 300) == .success else { return false }
        }
        return true
    }

    /// Whether the condition becomes true with its output, before five minutes pass without output.
    func prints(_ condition: () -> Bool) -> Bool {
        while !condition() {
            guard arrived.wait(timeout: .now() + 300) == .success else { return false }
        }
        return true
    }

    /// All output so far.
    var output: String { String(decoding: text.withLock { $0.output }, as: UTF8.self) }
    var errors: String { String(decoding: text.withLock { $0.errors }, as: UTF8.self) }

    /// Fills a pipe, so that the next write to it waits.
    private func fill(_ pipe: Int32) {
        let flags = fcntl(pipe, F_GETFL)
        _ = fcntl(pipe, F_SETFL, flags | O_NONBLOCK)
        let page = [UInt8](repeating: UInt8(ascii: " "), count: 4096)
        while write(pipe, page, page.count) > 0 {}
        _ = fcntl(pipe, F_SETFL, flags)
    }

    private func collect(
        _ pipe: Pipe, _ store: @escaping @Sendable (inout (output: Data, errors: Data), Data) -> Void
    ) {
        drained.enter()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                text.withLock { store(&$0, data) }
                arrived.signal()
            }
            // Foundation keeps the processes that it has started, and these ends with them.
            handle.closeFile()
            drained.leave()
        }
    }

    /// The processes that a process has started and that have not ended, according to the kernel.
    static func children(of process: Int32) throws -> [Int32] {
        let tasks = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
            try String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8).split(separator: " ")
                .compactMap { Int32($0) }
        }
    }
}
