import Synchronization
import Diagnostics
import CSystemShims
import Glibc
import OverlayABI
import OverlayBridge
import OverlayCalls
import OverlayLoading
import Platform
import WorkerRPC

/// The program of a worker: the host's executable, started with a special first argument, or a copy of the host's process.
///
/// ```swift
/// // At the start of the program, while it has one thread:
/// WorkerProgram.runIfAsked()
/// let paths = HostPaths.current()
/// let isolation = OverlayIsolation.worker(WorkerOptions(program: paths.workerProgram))
/// print(OverlayDiscovery(paths: paths, isolation: isolation).discover().overlays.count)
/// WorkerProgram.clearAway()
/// ```
public enum WorkerProgram {
    /// The first argument.
    static let mark = "--overlay-worker"
    /// Replaces the library's path if the path is sent on standard input.
    static let awaited = "-"
    /// The stack size of the thread that calls the overlay, the same as in the host's process.
    private static let stackSize = 16 << 20
    /// The descriptors with which a worker is started, after the three standard descriptors.
    static let mainSocket: Int32 = 3
    static let sideSocket: Int32 = 4
    /// The descriptor of the host's counter, if there is one.
    static let changeCounter: Int32 = 5
    /// The descriptor of the counter that informs the host that a call has begun, if there is one.
    static let begun: Int32 = 6
    /// The descriptor on which the host grants requests of the worker, if there is one.
    static let grants: Int32 = 7

    /// The arguments with which a worker is started.
    struct Arguments: Sendable {
        var host: Int32
        var library: String
        var scratch: String
        var memory: UInt64
        var withheld: UInt32
        var newestLandlock: UInt32
        var gathersRows = true

        var words: [String] {
            [
                WorkerProgram.mark, "\(host)", library, scratch, "\(memory)", "\(withheld)",
                "\(newestLandlock)",
            ] + (gathersRows ? [] : ["--each-row"])
        }

        init(
            host: Int32, library: String, scratch: String, memory: UInt64, withheld: UInt32,
            newestLandlock: UInt32 = .max
        ) {
            self.withheld = withheld
            self.newestLandlock = newestLandlock
            self.host = host
            self.library = library
            self.scratch = scratch
            self.memory = memory
        }

        init?(_ words: [String]) {
            guard words.count == 7 || words.count == 8 && words[7] == "--each-row",
                words[0] == WorkerProgram.mark, let host = Int32(words[1]),
                let memory = UInt64(words[4]), let withheld = UInt32(words[5]),
                let newestLandlock = UInt32(words[6])
            else { return nil }
            self.init(
                host: host, library: words[2], scratch: words[3], memory: memory, withheld: withheld,
                newestLandlock: newestLandlock)
            gathersRows = words.count == 7
        }
    }

    /// If this process was started as a worker or for a `ConfinedProgram`, runs it as such and does not return;
    /// otherwise returns at once. Every program that is used as `WorkerOptions.program` must call this first, while
    /// it has one thread.
    public static func runIfAsked() {
        ConfinedProgram.becomeProgramIfAsked()
        guard CommandLine.argc > 1, let word = CommandLine.unsafeArgv[1], strcmp(word, mark) == 0 else {
            return
        }
        run(Array(CommandLine.arguments.dropFirst()))
    }

    /// Runs this process as a worker with the words of `Arguments`. Call this while it has one thread.
    static func run(_ words: [String]) -> Never {
        guard var arguments = Arguments(words) else { _exit(64) }
        shim_die_with_parent(arguments.host)
        ProcessName.set("overlay-worker")
        if arguments.library == awaited { arguments.library = awaitedLibrary() }
        let confinement = Confinement.enforce(arguments)
        // A worker that cannot start processes does not have a group to end.
        if confinement.parts & SHIM_SECCOMP == 0 { shim_take_group_along() }
        Worker(arguments, confinement).run(stackSize: stackSize)
    }

    /// The path of the library, after the host has chosen one. Ends the process if the host does not choose one.
    private static func awaitedLibrary() -> String {
        var path: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        while path.count < buffer.count {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            path += buffer[..<count]
        }
        let nothing = open("/dev/null", O_RDWR)
        guard !path.isEmpty, dup2(nothing, STDIN_FILENO) == STDIN_FILENO else { _exit(0) }
        close(nothing)
        return String(decoding: path, as: UTF8.self)
    }
}

extension WorkerProgram {
    /// Removes the folders of workers that have not ended yet. For a host that exits without waiting for its workers,
    /// which the kernel then ends.
    public static func clearAway() { LockedFolder.removeAll() }
}

/// The main program of a worker. Loads one overlay and serves it until the host disconnects.
private final class Worker: Sendable {
    private let arguments: WorkerProgram.Arguments
    private let confinement: Confinement

    init(_ arguments: WorkerProgram.Arguments, _ confinement: Confinement) {
        self.arguments = arguments
        self.confinement = confinement
    }

    /// Serves on a thread with a large stack.
    func run(stackSize: Int) -> Never {
        guard let thread = SystemThread(stackSize: stackSize, { self.serve() }) else {
            Self.end("It has no thread: \(systemText(errno)).")
        }
        thread.join()
        _exit(0)
    }

    private static func end(_ reason: String) -> Never {
        let line = "overlayhost worker: \(reason)\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
        _exit(71)
    }

    private static func end(_ error: WorkerRPCError) -> Never {
        if error.code != .closed { end(error.message) }
        shim_end_group()
    }

    private func serve() -> Never {
        var events = RPCConnection.Events()
        events.broken = { Worker.end($0) }
        let changeCounter = SharedCounter(descriptor: WorkerProgram.changeCounter)
        close(WorkerProgram.changeCounter)
        let begun = SharedCounter(descriptor: WorkerProgram.begun, theirs: true)
        close(WorkerProgram.begun)
        begun?.tellMemoryWhenCrashing(limit: arguments.memory)
        var limits = WorkerRPCLimits()
        if !arguments.gathersRows { limits.batch = 1 }
        // The worker cannot create shared memory, whose size could not be limited.
        if confinement.parts & SHIM_SECCOMP != 0 { limits.sharedThreshold = .max }
        let rpc = RPCConnection(
            main: WorkerProgram.mainSocket, side: WorkerProgram.sideSocket, limits: limits,
            reportsBreaches: true, events: events, changeCounter: changeCounter, begun: begun)
        let session: RPCSession = rpc.main
        session.claim()
        Callable.strayCalls.withLock {
            $0 = { function in
                rpc.report(strayCall: "\(function.fullName): It was called after its method had returned.")
            }
        }
        do throws(WorkerRPCError) {
            try session.send(notification: WorkerNotification.confined, confinement.bytes)
            // A worker without an overlay only reports its confinement.
            if !arguments.library.isEmpty { try describe(session) }
            try session.serve()
        } catch {
            withExtendedLifetime(rpc) { Worker.end(error) }
        }
    }

    /// Loads the overlay and sends its tables, or the reason why there are none.
    private func describe(_ session: RPCSession) throws(WorkerRPCError) {
        let library: DynamicLibrary
        do {
            library = try DynamicLibrary(path: arguments.library)
        } catch {
            return try session.send(notification: WorkerNotification.notLoadable, Array(error.text.utf8))
        }
        guard let symbol = library.symbol("ovl_entry_v1") else {
            return try session.send(notification: WorkerNotification.noEntry)
        }
        typealias Entry = @convention(c) () -> UnsafeRawPointer?
        guard let entry = unsafeBitCast(symbol, to: Entry.self)(),
            let plan = ContractPlans.shared.record("ovl_entry")
        else { return try session.send(notification: WorkerNotification.noRecord) }
        // For another major version, only the beginning of the record is known.
        let known = EntryReader.versionSize
        if ovl_entry.claimedSize(at: entry) >= known,
            entry.load(fromByteOffset: 8, as: UInt32.self) != OVL_ABI_MAJOR
        {
            let beginning = UnsafeMutableRawPointer.allocate(byteCount: known, alignment: 8)
            beginning.copyMemory(from: entry, byteCount: known)
            beginning.storeBytes(of: UInt32(known), as: UInt32.self)
            return try session.send(table: beginning, plan, notification: WorkerNotification.entry)
        }
        do throws(WorkerRPCError) {
            try session.send(table: entry, plan, notification: WorkerNotification.entry)
        } catch {
            guard let refusal = WorkerNotification.refusal(error.code) else { throw error }
            try session.send(notification: refusal, Array(error.message.utf8))
        }
    }
}
