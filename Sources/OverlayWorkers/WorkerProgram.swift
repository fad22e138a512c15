import CSystemShims
import Glibc
import OverlayABI
import OverlayBridge
import OverlayCalls
import OverlayLoading
import Platform
import WorkerRPC

/// The program of a worker: the host's own executable, started with a first argument that no person uses.
public enum WorkerProgram {
    /// The first argument.
    static let mark = "--overlay-worker"
    /// Stands for the library if its path comes on standard input.
    static let awaited = "-"
    /// Stack size of the thread that calls the overlay, the same as in the host's process.
    private static let stackSize = 16 << 20
    /// The descriptors that a worker is started with, after the three of every program.
    static let mainSocket: Int32 = 3
    static let sideSocket: Int32 = 4
    /// The descriptor of the host's counter, if there is one.
    static let changeCounter: Int32 = 5
    /// The descriptor that tells the host that a call has begun, if there is one.
    static let begun: Int32 = 6
    /// The descriptor by which the host grants what the worker asks for, if there is one.
    static let grants: Int32 = 7

    /// What a worker is started with.
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

    /// Runs this process as a worker, or as the process of a `ConfinedProgram`, and ends it, if that is what it was started for;
    /// otherwise returns at once. To be called
    /// first of all, while there is one thread, by every program that is named as `WorkerOptions.program`.
    public static func runIfAsked() {
        ConfinedProgram.becomeProgramIfAsked()
        guard CommandLine.argc > 1, let word = CommandLine.unsafeArgv[1], strcmp(word, mark) == 0 else {
            return
        }
        guard var arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else { _exit(64) }
        shim_die_with_parent(arguments.host)
        // For lists of processes: the kernel names it after the link that it was started by.
        shim_name_process("overlay-worker")
        if arguments.library == awaited { arguments.library = awaitedLibrary() }
        let confinement = Confinement.enforce(arguments)
        // What cannot start processes has none to take along.
        if confinement.parts & SHIM_SECCOMP == 0 { shim_take_group_along() }
        Worker(arguments, confinement).run(stackSize: stackSize)
    }

    /// The path of the library, once the host has chosen one; ends the process if it never does.
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
    /// Clears away the folders of workers that have not ended yet: for a host that ends its process without ado, with which the
    /// kernel ends its workers.
    public static func clearAway() { LockedFolder.removeAll() }
}

/// The worker: loads one overlay and serves it until the host disconnects.
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
        // It can make no shared memory, which no limit would count.
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
            // A worker without an overlay has been asked for nothing else.
            if !arguments.library.isEmpty { try describe(session) }
            try session.serve()
        } catch {
            withExtendedLifetime(rpc) { Worker.end(error) }
        }
    }

    /// Loads the overlay and sends its tables, or why there are none.
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
        // Of another major version only the beginning is known.
        let known = EntryReader.Needed.version
        if ovl_entry.claimedSize(at: entry) >= known,
            entry.load(fromByteOffset: 8, as: UInt32.self) != OVL_ABI_MAJOR
        {
            let beginning = UnsafeMutableRawPointer.allocate(byteCount: known, alignment: 8)
            beginning.copyMemory(from: entry, byteCount: known)
            beginning.storeBytes(of: UInt32(known), as: UInt32.self)
            return try session.send(table: beginning, plan, notification: WorkerNotification.entry)
        }
        try session.send(table: entry, plan, notification: WorkerNotification.entry)
    }
}
