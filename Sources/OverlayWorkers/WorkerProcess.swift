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

/// One worker: its process, what it writes, and the thread that looks after both until the process has ended.
///
/// The thread that keeps a worker also starts it, because the kernel ends a worker together with the thread that started it.
final class WorkerProcess: Sendable {
    private struct State {
        var pid: Int32 = -1
        var isReaped = false
        /// Why the host ended it.
        var reason: (WorkerEnd.Cause, String)?
        var end: WorkerEnd?
        /// Whether an instance uses it.
        var isClaimed = false
        /// Since when none does.
        var idleSince = MonotonicClock.now
        /// The running method, for reports.
        var method: String?
        var lastService: String?
        /// When the running method was first seen to be cancelled.
        var cancelledSince: UInt64 = 0
        /// When the running method must have returned, and how long it could take until then; 0: any time.
        var deadline: UInt64 = 0
        var total = Duration.zero
        /// Whether the running method gets no grace after its deadline.
        var isPure = false
        /// How many methods it had begun before the running one; nil if it does not tell.
        var begunBefore: UInt64?
        /// Whether the worker has been told that the deadline has passed.
        var isLate = false
        /// When the host lost interest.
        var closedSince: UInt64 = 0
    }

    let options: WorkerOptions
    private let rpc_: Mutex<RPCConnection?>
    private let state = Mutex(State())
    /// The host of the instance that uses it. Held while the host is asked, so that a host that has ended is not.
    private let context = Mutex<CallContext?>(nil)
    /// Whether the overlay's threads are served; held while one is, so that none is once the host has ended.
    private let isServing = Mutex(true)
    /// Since when the overlay computes without asking for anything, nanoseconds; 0: it does not.
    private let waitingSince = Atomic<UInt64>(0)
    /// How long it may, nanoseconds.
    private let silence = Atomic<UInt64>(0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let wake = WakeUpDescriptor()
    /// Moved when the running method should end.
    private let changeCounter: SharedCounter?
    /// Moved by the worker when it begins a method.
    private let begun: SharedCounter?
    /// What the overlay writes.
    let output: WorkerStream
    let errors: WorkerStream
    /// The socket on which it waits for a library; -1 if it does not.
    private let librarySocket = Mutex<Int32>(-1)
    /// Kept as long as a cancel ends the worker.
    private let ending = Mutex<Cancellation.Registration?>(nil)

    /// How long a worker may take to end once its host has hung up, nanoseconds.
    private static let shutdownTimeout: UInt64 = 1_000_000_000

    /// Starts a worker for `library`. Blocks until the process is there; what it does then, `rpc` tells.
    ///
    /// - Parameters:
    ///   - library: nil: the worker waits until `load` names one.
    ///   - name: of the overlay; asked on any thread.
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

    /// The connection to it.
    var rpc: RPCConnection? { rpc_.withLock { $0 } }

    private func events() -> RPCConnection.Events {
        var events = RPCConnection.Events()
        events.waits = { [unowned self] isWaiting in
            waitingSince.store(isWaiting ? MonotonicClock.now : 0, ordering: .relaxed)
        }
        events.willServe = { [unowned self] function in
            state.withLock { $0.lastService = function.fullName }
        }
        events.breach = { [unowned self] sort, message in
            let kind: ContractBreach.Kind = sort == .strayCall ? .sinkAfterReturn : .carrier
            options.observer?.broke(ContractBreach(kind, message))
            context.withLock { $0?.noteBreach(message) }
        }
        return events
    }

    /// Gives a waiting worker its library; without one it ends. A worker that has ended says so when it is asked next.
    func load(_ library: String?) {
        // While it loads, it is not idle, however long it has waited.
        if library != nil { state.withLock { $0.idleSince = MonotonicClock.now } }
        librarySocket.withLock { socket in
            guard socket >= 0 else { return }
            // Shorter than what a socket takes at once.
            if let library {
                _ = library.withCString { Glibc.send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            }
            close(socket)
            socket = -1
        }
    }

    // MARK: calls

    /// Notes that a method begins, how long it may take, and for which host.
    func begin(_ function: FunctionPlan, _ limits: MethodLimits, _ context: CallContext) {
        let limit = min(limits.silence, options.silence).nanoseconds
        let total = limits.total?.nanoseconds ?? 0
        silence.store(limit, ordering: .relaxed)
        state.withLock { state in
            state.method = function.name
            state.lastService = nil
            state.cancelledSince = 0
            state.deadline = total == 0 ? 0 : MonotonicClock.now &+ total
            state.total = limits.total ?? .zero
            state.isPure = function.isPure
            state.isLate = false
            state.begunBefore = begun?.count
        }
        self.context.withLock { $0 = context }
        // The supervisor looks about a few times a second, which is enough for longer limits.
        if limit < 5_000_000_000 || (1..<5_000_000_000).contains(total) { wakeSupervisor() }
    }

    /// Tells the worker that the running method may have to end, which it then asks about.
    func send() {
        changeCounter?.increment()
        wakeSupervisor()
    }

    /// Ends it at once, because its command was cancelled.
    func cancel() { kill(.cancelled, "was stopped because the command was cancelled") }

    /// Notes that the method has returned.
    func finish() {
        // What it wrote in the method is there by now, though its supervisor may not have come to it.
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

    /// Whether it can be called. Asks the system, because its supervisor learns of its end a little later.
    var isAlive: Bool {
        state.withLock { state in
            state.end == nil && state.reason == nil && state.closedSince == 0 && !state.isReaped
                && shim_has_ended(state.pid) == 0
        }
    }

    /// Whether it is certain that nothing of the method that was called last has been done.
    var hasNotBegun: Bool {
        guard let before = state.withLock({ $0.begunBefore }), let begun else { return false }
        return begun.count == before
    }

    /// Takes it for an instance; false if it is ending.
    func claim() -> Bool {
        state.withLock { state in
            state.isClaimed = true
            return state.end == nil && state.reason == nil && state.closedSince == 0
        }
    }

    /// Lets it wait for another instance; false if it is ending.
    func release() -> Bool {
        context.withLock { $0 = nil }
        return state.withLock { state in
            state.isClaimed = false
            state.idleSince = MonotonicClock.now
            return state.end == nil && state.reason == nil && state.closedSince == 0
        }
    }

    /// Ends it: it has nothing to do any more. Does not wait.
    func hangUp() {
        // The program does not wait for the worker's end and may end first.
        if options.words != nil { readToEnd() }
        state.withLock { $0.closedSince = MonotonicClock.now }
        context.withLock { $0 = nil }
        load(nil)
        stopServing()
        wakeSupervisor()
    }

    /// Waits for the end of a worker that was hung up, which is killed if it takes its time.
    func waitForEnd() {
        hasEnded.wait()
        hasEnded.signal()
    }

    /// Ends it at once.
    func kill(_ cause: WorkerEnd.Cause, _ reason: String) {
        state.withLock { state in
            guard !state.isReaped, state.pid > 0 else { return }
            state.reason = state.reason ?? (cause, reason)
            // First the whole group, so that nothing it has started remains.
            _ = Glibc.kill(-state.pid, SIGKILL)
            _ = Glibc.kill(state.pid, SIGKILL)
        }
    }

    /// What came of a call that could not be carried, once the worker has ended; ends it, if it has not.
    func failure(_ error: WorkerRPCError) -> WorkerFailure {
        if error.code == .malformed { kill(.garbage, "sent an invalid answer (\"\(error.message)\")") }
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

    /// Serves the threads of the overlay, until the connection ends. On a thread of its own, because the worker decides how long a
    /// message takes.
    func serveSide() {
        guard let side = rpc?.side else { return }
        do throws(WorkerRPCError) {
            while true { try serveNext(side) }
        } catch {
            guard error.code != .closed else { return }
            kill(.garbage, "sent an invalid call (\"\(error.message)\")")
        }
    }

    private func serveNext(_ side: RPCSession) throws(WorkerRPCError) {
        try isServing.withLock { (isServing) throws(WorkerRPCError) in
            guard isServing else { throw WorkerRPCError(.closed, "The host has ended.") }
            try side.serveNext()
        }
    }

    /// Ends both connections. Once it returns, none of the overlay's threads is served.
    func stopServing() {
        // Before the lock: the thread that serves holds it while it waits for the worker.
        rpc?.shutDown()
        isServing.withLock { $0 = false }
    }

    func started(_ pid: Int32) {
        state.withLock { $0.pid = pid }
        options.observer?.started(pid)
    }

    /// Notes what it has written; false once no process can write any more.
    func readOutput() -> Bool {
        defer { noteOutput() }
        return output.read()
    }

    /// Notes what it wrote last, also a line that has not ended.
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

    /// Ends the worker if one of its limits has passed. Nanoseconds until the next look.
    func look() -> UInt64 {
        let now = MonotonicClock.now
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
            lookAtSilence(now), lookAtDeadline(now), isRunning ? lookAtCancel(now) : .max)
    }

    /// How often to look at limits that send no signal, nanoseconds.
    private static let usualPause: UInt64 = 250_000_000

    private func lookAtSilence(_ now: UInt64) -> UInt64 {
        let since = waitingSince.load(ordering: .relaxed)
        guard since > 0 else { return Self.usualPause }
        let limit = silence.load(ordering: .relaxed)
        // The two are not read at once: a moment that has not been yet is none that has passed.
        let spent = now > since ? now - since : 0
        guard spent <= limit else {
            kill(.silence, "ran for more than \(Double(limit) / 1e9) s without calling the host")
            return Self.usualPause
        }
        return min(Self.usualPause, limit - spent + 1_000_000)
    }

    private func lookAtDeadline(_ now: UInt64) -> UInt64 {
        let (deadline, total, isPure, isLate) = state.withLock { state in
            defer { if state.deadline > 0, now >= state.deadline { state.isLate = true } }
            return (state.deadline, state.total, state.isPure, state.isLate)
        }
        guard deadline > 0 else { return .max }
        if now < deadline { return deadline - now + 1_000_000 }
        if !isLate { changeCounter?.increment() }
        // A pure method leaves nothing half done that it would have to withdraw.
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

    private func lookAtCancel(_ now: UInt64) -> UInt64 {
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

    /// Takes note of the end, if it has come. True then.
    func reap() -> Bool {
        let isOver = state.withLock { state in
            let hasEnded = shim_has_ended(state.pid)
            guard hasEnded != 0 else { return false }
            // Without its leader the group may still have members. Until the leader is reaped the number is theirs.
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

    /// Tells the observer, then lets all threads go on that wait for the end.
    func ended() {
        rpc?.shutDown()
        options.observer?.ended(state.withLock { $0.pid })
        hasEnded.signal()
    }

    private func wakeSupervisor() { wake.signal() }
}

/// Time that only goes on.
enum MonotonicClock {
    /// Nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// The span in nanoseconds; none for a negative one.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ UInt64(attoseconds / 1_000_000_000)
    }
}
