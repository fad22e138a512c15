import CSystemShims
import DeviceTransport
import Dispatch
import Glibc
import HostContract
import OverlayABI
import OverlayCalls
import OverlayLoading
import Platform
import Synchronization
import WorkerRPC

/// A worker: its process, its output, and the thread that supervises both until the process has ended.
///
/// The thread that supervises a worker also starts it, because the kernel ends a worker together with the thread that
/// started it.
final class WorkerProcess: Sendable {
    private struct State {
        var pid: Int32 = -1
        var isReaped = false
        /// The reason for which the host ended the worker.
        var reason: (WorkerEnd.Cause, String)?
        var end: WorkerEnd?
        /// Whether an instance uses the worker.
        var isClaimed = false
        /// The time since when no instance uses the worker.
        var idleSince = SystemClock.monotonic
        /// The running method, for reports.
        var method: String?
        var lastService: String?
        /// The time when the running method was first found to be cancelled.
        var cancelledSince: UInt64 = 0
        /// The time by which the running method must return, and its time limit; 0 if there is none.
        var deadline: UInt64 = 0
        var total = Duration.zero
        /// Whether the running method gets no additional time after its deadline.
        var isPure = false
        /// The number of methods that had begun before the running one; nil if the worker does not report it.
        var begunBefore: UInt64?
        /// Whether the worker was informed that the deadline has passed.
        var isLate = false
        /// The time when the host closed the connection.
        var closedSince: UInt64 = 0
    }

    let options: WorkerOptions
    private let rpc_: Mutex<RPCConnection?>
    private let state = Mutex(State())
    /// The host of the current instance. Locked while the host is called, so that a host that has ended is not
    /// called.
    private let context = Mutex<CreationContext?>(nil)
    /// Whether calls of the overlay's threads are served. Locked during such a call, so that there is none after the
    /// host has ended.
    private let isServing = Mutex(true)
    /// The time since when the overlay computes without calling the host, in nanoseconds; 0 if it does not.
    private let waitingSince = Atomic<UInt64>(0)
    /// The limit of this time in nanoseconds.
    private let silence = Atomic<UInt64>(0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let wake = WakeUpDescriptor()
    /// Incremented when the running method should end.
    private let changeCounter: SharedCounter?
    /// Incremented by the worker when it begins a method.
    private let begun: SharedCounter?
    /// The output of the overlay.
    let output: WorkerStream
    let errors: WorkerStream
    /// The socket on which the worker waits for a library; -1 if it does not.
    private let librarySocket = Mutex<Int32>(-1)
    /// Kept as long as a cancellation ends the worker.
    private let ending = Mutex<Cancellation.Registration?>(nil)

    /// The time for a worker to end after its host has closed the connection, in nanoseconds.
    private static let shutdownTimeout: UInt64 = 1_000_000_000

    /// Starts a worker for `library`. Blocks until the process exists; use `rpc` for everything after that.
    ///
    /// - Parameters:
    ///   - library: the library; nil if the worker waits until `load` specifies one.
    ///   - name: returns the name of the overlay; called on any thread.
    init(
        library: String?, temporary: String, options: WorkerOptions, name: @escaping @Sendable () -> String
    ) throws(WorkerFailure) {
        self.options = options
        let hear = options.words.map { words in
            { @Sendable (line: String) in
                words(name(), line)
            }
        }
        (output, errors) = (WorkerStream(hear), WorkerStream(hear))
        rpc_ = Mutex(nil)
        let (told, heard) = (SharedCounter.make(), SharedCounter.make(theirs: true))
        (changeCounter, begun) = (told?.changeCounter, heard?.changeCounter)
        let supervisor = WorkerSupervisor(
            library: library, temporary: temporary, options: options, wake: wake,
            words: [told?.descriptor ?? -1, heard?.descriptor ?? -1])
        silence.store(options.start.nanoseconds, ordering: .relaxed)
        let rpc = try supervisor.open(events(), output, errors)
        rpc_.withLock { $0 = rpc }
        let socket = try supervisor.openLibrarySocket()
        librarySocket.withLock { $0 = socket }
        try supervisor.start(self)
        guard options.endsAtOnce, let cancellation = options.cancellation else { return }
        let registration = cancellation.whenCancelled { [weak self] in self?.cancel() }
        ending.withLock { $0 = registration }
    }

    deinit { load(nil) }

    /// The connection to the worker.
    var rpc: RPCConnection? { rpc_.withLock { $0 } }

    private func events() -> RPCConnection.Events {
        var events = RPCConnection.Events()
        events.waits = { [unowned self] isWaiting in
            waitingSince.store(isWaiting ? SystemClock.monotonic : 0, ordering: .relaxed)
        }
        events.willServe = { [unowned self] function in
            state.withLock { $0.lastService = function.fullName }
        }
        events.breach = { [unowned self] sort, message in
            let kind: ContractBreach.Kind =
                switch sort {
                case .strayCall: .sinkAfterReturn
                case .structSize: .structSize
                case .value, .row: .carrier
                }
            options.observer?.broke(ContractBreach(kind, message))
            context.withLock { $0?.noteBreach(message) }
        }
        return events
    }

    /// Sends the library to a waiting worker, or ends the worker if there is no library. If the worker has ended, the
    /// next call reports this.
    func load(_ library: String?) {
        // A worker does not count as idle while it loads, regardless of the time for which it has waited.
        if library != nil { state.withLock { $0.idleSince = SystemClock.monotonic } }
        librarySocket.withLock { socket in
            guard socket >= 0 else { return }
            // A path is short enough for a socket to accept it at once.
            if let library {
                _ = library.withCString { Glibc.send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            }
            close(socket)
            socket = -1
        }
    }

    // MARK: calls

    /// Records the beginning of a method, with its limits and its host.
    func begin(_ function: FunctionPlan, _ limits: MethodLimits, _ context: CreationContext) {
        let limit = min(limits.silence, options.silence).nanoseconds
        let total = limits.total?.nanoseconds ?? 0
        silence.store(limit, ordering: .relaxed)
        state.withLock { state in
            state.method = function.name
            state.lastService = nil
            state.cancelledSince = 0
            state.deadline = total == 0 ? 0 : SystemClock.monotonic &+ total
            state.total = limits.total ?? .zero
            state.isPure = function.isPure
            state.isLate = false
            state.begunBefore = begun?.count
        }
        self.context.withLock { $0 = context }
        // The supervisor checks limits a few times a second, which is sufficient for longer limits.
        if limit < 5_000_000_000 || (1..<5_000_000_000).contains(total) { wakeSupervisor() }
    }

    /// Signals the worker that the running method may have to end. The worker then asks the host.
    func send() {
        changeCounter?.increment()
        wakeSupervisor()
    }

    /// Ends the worker immediately, because its command was cancelled.
    func cancel() { kill(.cancelled, "was stopped because the command was cancelled") }

    /// Records that the method has returned.
    func finish() {
        // The output of the method is available now, although the supervisor may not have read it yet.
        if options.words != nil {
            output.readAll()
            errors.readAll()
            noteOutput()
        }
        state.withLock { state in
            state.method = nil
            state.deadline = 0
        }
    }

    /// Whether the worker can be called. Asks the system, because the supervisor detects the end of a worker with a
    /// delay.
    var isAlive: Bool {
        state.withLock { state in
            state.end == nil && state.reason == nil && state.closedSince == 0 && !state.isReaped
                && shim_has_ended(state.pid) == 0
        }
    }

    /// Whether it is certain that the last called method has not begun.
    var hasNotBegun: Bool {
        guard let before = state.withLock({ $0.begunBefore }), let begun else { return false }
        return begun.count == before
    }

    /// Assigns the worker to an instance. Returns false if the worker is ending.
    func claim() -> Bool {
        state.withLock { state in
            state.isClaimed = true
            return state.end == nil && state.reason == nil && state.closedSince == 0
        }
    }

    /// Lets the worker wait for the next instance. Returns false if the worker is ending.
    func release() -> Bool {
        context.withLock { $0 = nil }
        return state.withLock { state in
            state.isClaimed = false
            state.idleSince = SystemClock.monotonic
            return state.end == nil && state.reason == nil && state.closedSince == 0
        }
    }

    /// Ends a worker that is no longer needed. Does not wait.
    func hangUp() {
        // The program does not wait for the end of the worker, and may end first.
        if options.words != nil { readToEnd() }
        state.withLock { $0.closedSince = SystemClock.monotonic }
        context.withLock { $0 = nil }
        load(nil)
        stopServing()
        wakeSupervisor()
    }

    /// Waits for the end of a worker after `hangUp`. A worker that takes too long is killed.
    func waitForEnd() {
        hasEnded.wait()
        hasEnded.signal()
    }

    /// Ends the worker immediately.
    func kill(_ cause: WorkerEnd.Cause, _ reason: String) {
        state.withLock { state in
            guard !state.isReaped, state.pid > 0 else { return }
            state.reason = state.reason ?? (cause, reason)
            // First kill the complete group, so that processes which the worker started do not remain.
            _ = Glibc.kill(-state.pid, SIGKILL)
            _ = Glibc.kill(state.pid, SIGKILL)
        }
    }

    /// The failure of a call that could not be sent. Ends the worker if it is still running.
    func failure(_ error: WorkerRPCError) -> WorkerFailure {
        if error.code == .malformed { kill(.garbage, "sent an invalid answer ('\(error.message)')") }
        if hasEnded.wait(timeout: .now() + .milliseconds(500)) != .success {
            kill(.closed, "closed its connection to the host")
            hasEnded.wait()
        }
        hasEnded.signal()
        var failure = state.withLock { state in
            WorkerFailure(
                end: state.end,
                clause: (state.end ?? .killed(.closed, "was stopped")).clause(memory: options.memory),
                method: state.method,
                lastService: state.lastService)
        }
        failure.words = errors.words
        failure.isUntouched = hasNotBegun
        return failure
    }

    // MARK: for the supervisor

    /// Serves calls of the overlay's threads until the connection ends. Runs on a separate thread, because the worker
    /// determines the time that a message takes.
    func serveSide() {
        guard let side = rpc?.side else { return }
        do throws(WorkerRPCError) {
            while true { try serveNext(side) }
        } catch {
            guard error.code != .closed else { return }
            kill(.garbage, "sent an invalid call ('\(error.message)')")
        }
    }

    private func serveNext(_ side: RPCSession) throws(WorkerRPCError) {
        try isServing.withLock { (isServing) throws(WorkerRPCError) in
            guard isServing else { throw WorkerRPCError(.closed, "The host has ended.") }
            try side.serveNext()
        }
    }

    /// Ends both connections. After this returns, no calls of the overlay's threads are served.
    func stopServing() {
        // Do this before locking, because the serving thread holds the lock while it waits for the worker.
        rpc?.shutDown()
        isServing.withLock { $0 = false }
    }

    func started(_ pid: Int32) {
        state.withLock { $0.pid = pid }
        options.observer?.started(pid)
    }

    /// Reads the output. Returns false when no process can write any more.
    func readOutput() -> Bool {
        defer { noteOutput() }
        return output.read()
    }

    /// Reads the remaining output, including an incomplete last line.
    func readToEnd() {
        output.readToEnd()
        errors.readToEnd()
        noteOutput()
    }

    private func noteOutput() {
        guard output.isNews else { return }
        options.observer?.broke(ContractBreach(.output, "It wrote to its standard output."))
        context.withLock { $0?.noteBreach("It wrote to its standard output.") }
    }

    /// Ends the worker if a limit has been exceeded. Returns the time until the next check, in nanoseconds.
    func checkLimits() -> UInt64 {
        let now = SystemClock.monotonic
        let (closedSince, isRunning, isIdle) = state.withLock { state in
            let since = state.idleSince
            let isIdle = !state.isClaimed && now > since && now - since > options.longestIdle.nanoseconds
            if isIdle, state.closedSince == 0 { state.closedSince = now }
            return (state.closedSince, state.method != nil, isIdle)
        }
        if isIdle { rpc?.shutDown() }
        if closedSince > 0 {
            if now &- closedSince > Self.shutdownTimeout {
                kill(.shutdownTimeout, "did not exit when asked to")
            }
            return Self.shutdownTimeout / 4
        }
        return min(
            checkSilence(now), checkDeadline(now), isRunning ? checkCancel(now) : .max)
    }

    /// The interval for checking limits that do not send a signal, in nanoseconds.
    private static let usualPause: UInt64 = 250_000_000

    private func checkSilence(_ now: UInt64) -> UInt64 {
        let since = waitingSince.load(ordering: .relaxed)
        guard since > 0 else { return Self.usualPause }
        let limit = silence.load(ordering: .relaxed)
        // The two times are not read together, so `since` may be later than `now`.
        let spent = now > since ? now - since : 0
        guard spent <= limit else {
            kill(.silence, "ran for more than \(Double(limit) / 1e9) s without calling the host")
            return Self.usualPause
        }
        return min(Self.usualPause, limit - spent + 1_000_000)
    }

    private func checkDeadline(_ now: UInt64) -> UInt64 {
        let (deadline, total, isPure, isLate) = state.withLock { state in
            defer { if state.deadline > 0, now >= state.deadline { state.isLate = true } }
            return (state.deadline, state.total, state.isPure, state.isLate)
        }
        guard deadline > 0 else { return .max }
        if now < deadline { return deadline - now + 1_000_000 }
        if !isLate { changeCounter?.increment() }
        // A pure method has no changes to undo, so it gets no additional time.
        let end = isPure ? deadline : deadline &+ options.afterCancel.nanoseconds
        guard now < end else {
            kill(
                .deadline,
                "did not return within \(total)" + (isPure ? "" : " and continued for \(options.afterCancel)")
            )
            return Self.usualPause
        }
        return end - now + 1_000_000
    }

    private func checkCancel(_ now: UInt64) -> UInt64 {
        guard context.withLock({ $0?.isCancelled() ?? false }) else { return Self.usualPause }
        let seen = state.withLock { state in
            if state.cancelledSince == 0 { state.cancelledSince = now }
            return state.cancelledSince
        }
        if now > seen, now - seen > options.afterCancel.nanoseconds {
            kill(
                .afterCancel,
                "continued for more than \(options.afterCancel) after its method was cancelled")
        }
        return Self.usualPause
    }

    /// Records the end of the worker if it has ended, and returns true in this case.
    func reap() -> Bool {
        let isOver = state.withLock { state in
            let hasEnded = shim_has_ended(state.pid)
            guard hasEnded != 0 else { return false }
            // The group may still have members without its leader. The process id cannot be used again until the
            // leader is reaped.
            if hasEnded > 0 { _ = Glibc.kill(-state.pid, SIGKILL) }
            var status: Int32 = 0
            let result = shim_reap(state.pid, &status)
            state.isReaped = true
            state.end = WorkerEnd(
                status: result > 0 ? status : 0, memory: begun?.memoryWhenCrashed ?? 0, reason: state.reason)
            return true
        }
        return isOver
    }

    /// Informs the observer, and then all threads that wait for the end.
    func ended() {
        rpc?.shutDown()
        options.observer?.ended(state.withLock { $0.pid })
        hasEnded.signal()
    }

    private func wakeSupervisor() { wake.signal() }
}

extension Duration {
    /// The duration in nanoseconds; 0 for a negative one.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ UInt64(attoseconds / 1_000_000_000)
    }
}
