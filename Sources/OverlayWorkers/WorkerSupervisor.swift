import CSystemShims
import Dispatch
import Glibc
import OverlayCalls
import Platform
import WorkerRPC

/// The thread that starts a worker, reads its output, checks its limits, and detects its end. It never waits for the
/// worker; another thread serves calls of the overlay's threads.
///
/// Unchecked: used by the starting thread until the supervisor's thread runs, then by that thread.
final class WorkerSupervisor: @unchecked Sendable {
    /// Nil if the worker waits until `load` specifies a library.
    private let library: String?
    private let temporary: String
    private let options: WorkerOptions
    private let wake: WakeUpDescriptor
    /// The worker's descriptors for its output, its errors, its two sockets, and the socket on which it waits for a
    /// library. Open until the worker has them.
    private var theirs: [Int32] = []
    /// The standard input of the worker; -1 if there is none.
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var errors: Int32 = -1
    /// The memory files shared with the worker; -1 if one could not be created. Used by the starting thread until the
    /// worker is started.
    private var words: [Int32]
    private let grants = WorkerGrants()
    private var scratch: LockedFolder?
    private var process: WorkerProcess?
    private let hasStarted = DispatchSemaphore(value: 0)
    private var problem: String?

    /// Takes ownership of `words`.
    init(library: String?, temporary: String, options: WorkerOptions, wake: WakeUpDescriptor, words: [Int32])
    {
        self.words = words
        self.library = library
        self.temporary = temporary
        self.options = options
        self.wake = wake
    }

    deinit { closeTheirs() }

    // MARK: starting

    /// Creates the sockets and the connection that uses them.
    func open(
        _ events: RPCConnection.Events, _ written: WorkerStream, _ complaints: WorkerStream
    ) throws(WorkerFailure) -> RPCConnection {
        var pairs: [SocketPair] = []
        for _ in 0..<4 {
            guard let pair = SocketPair() else {
                let problem = systemText(errno)
                for descriptor in pairs.flatMap({ [$0.ours, $0.theirs] }) { close(descriptor) }
                throw WorkerFailure(clause: "could not be started: \(problem)")
            }
            pairs.append(pair)
        }
        theirs = pairs.map(\.theirs)
        (output, errors) = (pairs[0].ours, pairs[1].ours)
        for descriptor in [output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        written.open(output)
        complaints.open(errors)
        var limits = WorkerRPCLimits()
        // The limits of the memory that a worker can use in its host.
        limits.message = 1 << 30
        limits.shared = 1 << 30
        return RPCConnection(main: pairs[2].ours, side: pairs[3].ours, limits: limits, events: events)
    }

    /// The host's end of the socket on which the worker waits for a library; -1 if the worker does not wait.
    ///
    /// The other end is the standard input of the worker.
    func openLibrarySocket() throws(WorkerFailure) -> Int32 {
        guard library == nil else { return -1 }
        guard let pair = SocketPair() else {
            throw WorkerFailure(clause: "could not be started: \(systemText(errno))")
        }
        input = pair.theirs
        return pair.ours
    }

    /// Starts the threads and the worker.
    func start(_ process: WorkerProcess) throws(WorkerFailure) {
        self.process = process
        guard SystemThread.detached({ process.serveSide() }), SystemThread.detached({ self.run() }) else {
            process.stopServing()
            throw WorkerFailure(clause: "could not be started: the system cannot create a thread")
        }
        hasStarted.wait()
        if let problem { throw WorkerFailure(clause: "could not be started: \(problem)") }
    }

    private func spawn() -> Int32 {
        scratch = LockedFolder(in: temporary)
        let folder = scratch?.path ?? ""
        var arguments = WorkerProgram.Arguments(
            host: getpid(), library: library ?? WorkerProgram.awaited, scratch: folder,
            memory: options.memory,
            withheld: options.withheld | (grants.theirs < 0 ? SHIM_THREADS : 0),
            newestLandlock: options.newestLandlock)
        arguments.gathersRows = options.gathersRows
        let isRunning = options.program == WorkerOptions.runningProgram
        let name = isRunning ? CommandLine.arguments.first ?? options.program : options.program
        let descriptors = [input] + theirs + self.words + [grants.theirs]
        let standby = isRunning ? options.standby : nil
        let pid =
            standby?.start(arguments.words, environment(folder), descriptors)
            ?? start(options.program, [name] + arguments.words, environment(folder), descriptors)
        if pid < 0 { problem = "\(options.program): \(systemText(errno))" }
        grants.begin(pid, folder: folder, threads: options.threads)
        closeTheirs()
        return pid
    }

    private func start(
        _ program: String, _ words: [String], _ variables: [String], _ descriptors: [Int32]
    ) -> Int32 {
        let words = words.map { strdup($0) } + [nil]
        let variables = variables.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        return shim_spawn(program, words, variables, descriptors, Int32(descriptors.count))
    }

    private func closeTheirs() {
        for descriptor in theirs + words + [input] where descriptor >= 0 { close(descriptor) }
        (theirs, words, input) = ([], [], -1)
    }

    /// The environment of the worker, which only inherits the host's variables for language and libraries.
    private func environment(_ folder: String) -> [String] {
        var variables = [
            "PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no", "TMPDIR=\(folder)", "HOME=\(folder)",
        ]
        for name in ["LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
        }
        return variables
    }

    // MARK: keeping

    private func run() {
        guard let process else { return }
        let pid = spawn()
        if pid > 0 { process.started(pid) }
        hasStarted.signal()
        guard pid > 0 else {
            process.stopServing()
            return tidy()
        }
        let watch = shim_pidfd(pid)
        var polls = [watch, output, errors, wake.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            let pause = process.checkLimits()
            // Without a descriptor for the process, check for its end periodically.
            let limit = Int32(min(pause, watch < 0 ? 20_000_000 : pause) / 1_000_000) + 1
            if poll(&polls, nfds_t(polls.count), limit) < 0 {
                for index in polls.indices { polls[index].revents = 0 }
            }
            if polls[3].revents != 0 { wake.reset() }
            if polls[1].revents != 0, !process.readOutput() { polls[1].fd = -1 }
            if polls[2].revents != 0, !process.errors.read() { polls[2].fd = -1 }
            if process.reap() { break }
        }
        process.stopServing()
        // Do this before the end is reported, because the program may then exit.
        process.readToEnd()
        if watch >= 0 { close(watch) }
        process.ended()
        tidy()
    }

    private func tidy() {
        process?.output.close()
        process?.errors.close()
        scratch?.remove()
        self.process = nil
    }
}
