import CSystemShims
import DeviceTransport
import Glibc
import HostErrors
import Platform

/// A program of the system for files from untrusted sources. It is confined like an overlay: it can only read one
/// file and the installed software, write to the host, and does not have network access.
///
/// Its process is started from a program whose `main` begins with `WorkerProgram.runIfAsked`, drops its privileges,
/// and executes the program.
///
/// ```swift
/// func text(of file: String, _ request: SessionRequest) throws -> String {
///     let program = ConfinedProgram(path: "/usr/bin/pdftotext", launcher: request.paths.workerProgram)
///     let limits = ConfinedProgram.Limits(output: 1 << 20, time: .seconds(10))
///     let bytes = try program.run([file, "-"], reading: file, limits, request.cancellation)
///     return String(decoding: bytes, as: UTF8.self)
/// }
/// ```
public struct ConfinedProgram: Sendable {
    /// The limits of one run.
    public struct Limits: Sendable {
        /// The size of the output in bytes. A program that writes more is stopped, and the output up to the limit is
        /// used.
        public var output: Int
        /// The time limit, which is also the limit of processor time, in whole seconds.
        public var time: Duration
        /// The memory limit in bytes.
        public var memory: UInt64

        /// Creates the limits of one run.
        public init(output: Int, time: Duration = .seconds(60), memory: UInt64 = 1 << 30) {
            self.output = output
            self.time = time
            self.memory = memory
        }
    }

    /// The path of the program, such as `/usr/bin/pdftotext`.
    public let path: String
    /// The program from which the process is started.
    public let launcher: String

    /// Creates a confined program.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the program.
    ///   - launcher: the program from which the process is started, as in `WorkerOptions.program`.
    public init(path: String, launcher: String) {
        self.path = path
        self.launcher = launcher
    }

    /// Runs the program and returns its standard output. Blocks. Any thread.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, without the name of the program.
    ///   - file: the file that the program may read.
    ///   - limits: the limits of the run.
    ///   - cancellation: ends the program.
    /// - Throws: `failed` if the program cannot be started or confined; `rejected` if it fails; `busy` if the system
    ///   ended it, for example because of low memory; `timedOut`; `cancelled`.
    public func run(
        _ arguments: [String], reading file: String, _ limits: Limits, _ cancellation: Cancellation
    ) throws(HostError) -> [UInt8] {
        let wake = WakeUpDescriptor()
        let registration = cancellation.whenCancelled { wake.signal() }
        defer { withExtendedLifetime(registration) {} }
        if cancellation.isCancelled { throw Self.cancelled }
        let process = try ConfinedProcess(self, arguments, reading: file, limits)
        let output = process.read(most: limits.output, until: .now + limits.time, wake: wake)
        let (status, endedByItself) = process.end(atOnce: output.end != .closed)
        switch output.end {
        case .cancelled: throw Self.cancelled
        case .late:
            throw HostError(.timedOut, "The program did not end within \(limits.time).", subject: path)
        case .full: return output.bytes
        case .closed: break
        }
        guard status != 0 else { return output.bytes }
        if endedByItself, status & 0x7F == SIGKILL {
            throw HostError(
                .busy, "The system stopped the program.", subject: path,
                hint: "Memory may be short. Try again later.")
        }
        throw failure(status)
    }

    private static var cancelled: HostError { HostError(.cancelled, "The command was cancelled.") }

    private func failure(_ status: Int32) -> HostError {
        guard status & 0x7F == 0 else {
            return HostError(
                .rejected, "The program was stopped by \(SignalName.of(status & 0x7F)).", subject: path)
        }
        switch status >> 8 {
        case Self.notConfined:
            return HostError(
                .failed, "The program would run without protection that the kernel supports.", subject: path,
                hint: "Run overlayhost outside other sandboxes.")
        case Self.notStarted:
            return HostError(
                .failed, "The program cannot be started.", subject: path,
                hint: "Check that the file is executable.")
        case let code:
            return HostError(.rejected, "The program ended with exit status \(code).", subject: path)
        }
    }
}

// MARK: - in its process

extension ConfinedProgram {
    /// The first argument of the process. Users do not use it.
    static let mark = "--confined-program"
    /// The exit status of a process that could not drop its privileges.
    static let notConfined: Int32 = 121
    /// The exit status of a process that could not execute the program.
    static let notStarted: Int32 = 122

    /// Files and folders that every program may read.
    private static let installed = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts"]

    /// The environment of the program.
    private static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/"]

    /// If this process was started for a confined program, drops its privileges and executes the program; otherwise
    /// returns at once.
    static func becomeProgramIfAsked() {
        guard CommandLine.argc > 1, let word = CommandLine.unsafeArgv[1], strcmp(word, mark) == 0 else {
            return
        }
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 6, let host = Int32(words[1]), let seconds = UInt64(words[2]),
            let memory = UInt64(words[3])
        else { _exit(64) }
        shim_die_with_parent(host)
        let (file, program) = (words[4], words[5])
        let confinement = "".withCString { nowhere in
            Confinement.enforce(
                shim_confinement(
                    readable: nil, writable: nowhere, memory: memory, processor_seconds: seconds,
                    withheld: SHIM_THREADS, newest_landlock: .max, grants: -1, starts_program: 1),
                readable: installed + [program, file])
        }
        let offered = Confinement.offered()
        let expected = Confinement(parts: offered.parts & ~SHIM_THREADS, landlock: offered.landlock)
        guard confinement.lacking(of: expected).isEmpty else { _exit(notConfined) }
        let arguments = ([program] + Array(words.dropFirst(6))).map { strdup($0) } + [nil]
        let environment = Self.environment.map { strdup($0) } + [nil]
        execve(program, arguments, environment)
        _exit(notStarted)
    }
}

// MARK: - in the host

/// The process of a confined program. For use by one thread. The process ends with this thread.
private struct ConfinedProcess: ~Copyable {
    /// The reason for which reading the output ended.
    enum End { case closed, full, late, cancelled }

    private let pid: Int32
    private let output: FileDescriptor

    init(
        _ program: ConfinedProgram, _ arguments: [String], reading file: String,
        _ limits: ConfinedProgram.Limits
    ) throws(HostError) {
        guard let ends = SocketPair(), let output = FileDescriptor(owning: ends.ours),
            let input = FileDescriptor(owning: ends.theirs)
        else { throw Self.failure(program) }
        let seconds = max(1, limits.time.components.seconds)
        let words =
            [
                program.launcher, ConfinedProgram.mark, "\(getpid())", "\(seconds)", "\(limits.memory)", file,
                program.path,
            ] + arguments
        var variables = ["SWIFT_BACKTRACE=enable=no"]
        for name in ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
        }
        let (argv, environment) = (words.map { strdup($0) } + [nil], variables.map { strdup($0) } + [nil])
        defer { for word in argv + environment { free(word) } }
        let pid = shim_spawn(program.launcher, argv, environment, [-1, input.number, -1], 3)
        guard pid > 0 else { throw Self.failure(program) }
        self.pid = pid
        self.output = output
    }

    private static func failure(_ program: ConfinedProgram) -> HostError {
        HostError(
            .failed, "The program cannot be started: \(systemText(errno)).", subject: program.path,
            native: .posix(errno))
    }

    /// Reads the output until it ends, reaches the limit, the time is over, or `wake` is signalled.
    func read(
        most: Int, until deadline: ContinuousClock.Instant, wake: WakeUpDescriptor
    ) -> (bytes: [UInt8], end: End) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var polls = [output.number, wake.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = deadline - .now
            guard left > .zero else { return (bytes, .late) }
            let ready = pollOnce(&polls, timeout: left)
            if ready < 0, errno == EINTR { continue }
            if polls[1].revents != 0 { return (bytes, .cancelled) }
            guard ready > 0 else { return (bytes, .late) }
            let count = Glibc.read(output.number, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (bytes, .closed) }
            bytes += piece[..<min(count, most - bytes.count)]
            if bytes.count == most { return (bytes, .full) }
        }
    }

    /// Stops the process. Returns its status from `waitpid`, and whether it had ended before.
    ///
    /// - Parameter atOnce: whether the process is killed without time to end on its own.
    consuming func end(atOnce: Bool) -> (status: Int32, endedByItself: Bool) {
        var endedByItself = false
        let watch = FileDescriptor(owning: shim_pidfd(pid))
        if !atOnce, let watch {
            var polls = [pollfd(fd: watch.number, events: Int16(POLLIN), revents: 0)]
            endedByItself = pollOnce(&polls, timeout: Self.grace) > 0
        }
        // The process id cannot be used again until the process is reaped.
        _ = kill(-pid, SIGKILL)
        _ = kill(pid, SIGKILL)
        return (reap(child: pid), endedByItself)
    }

    private static let grace = Duration.seconds(1)
}
