import DeviceTransport
import Dispatch
import OverlayHost
import Platform
import Synchronization

/// The thread of one device, which carries out the requests about the device one after the other. Any thread may add
/// requests. The thread ends when there is nothing to do or to release; the next request starts another.
final class DeviceQueue: Sendable {
    /// Work for the thread.
    private struct Job: Sendable {
        let number: Int
        let run: @Sendable () -> Void
        /// Called instead of `run` if the job does not run.
        let refuse: @Sendable (HostError) -> Void
        /// Removes the job from the queue if its request is cancelled.
        var registration: Cancellation.Registration?
    }

    private struct State {
        var jobs: [Job] = []
        var next = 0
        var hasThread = false
    }

    /// Starts a thread; false if the system has none left.
    typealias Starting = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let start: Starting
    /// Checks idle sessions of the device on the thread, and returns when to call it again.
    private let idle: @Sendable () -> DispatchTime?

    /// - Parameters:
    ///   - start: starts the thread.
    ///   - idle: releases what has been idle for long, and returns when to call it again; called on the queue's
    ///     thread whenever there is nothing else to do.
    init(
        start: @escaping Starting = { SystemThread.detached($0) },
        idle: @escaping @Sendable () -> DispatchTime?
    ) {
        self.start = start
        self.idle = idle
    }

    /// Runs `work` when it is its turn. If the request is cancelled before, it is answered at once and `work` does
    /// not run.
    func add(_ request: PendingRequest, _ work: @escaping @Sendable () -> Void) {
        let number = enqueue({ request.answer(.failure(RPCFailure($0))) }, work)
        let registration = request.cancellation.whenCancelled { [weak self] in self?.cancel(number) }
        state.withLock { state in
            guard let place = state.jobs.firstIndex(where: { $0.number == number }) else { return }
            state.jobs[place].registration = registration
        }
    }

    /// Runs `work` when it is its turn.
    ///
    /// - Parameter refused: called instead of `work` if the device's thread cannot be started.
    func add(refused: @escaping @Sendable (HostError) -> Void, _ work: @escaping @Sendable () -> Void) {
        _ = enqueue(refused, work)
    }

    private func enqueue(
        _ refuse: @escaping @Sendable (HostError) -> Void, _ work: @escaping @Sendable () -> Void
    ) -> Int {
        let (number, needsThread) = state.withLock { state in
            state.next += 1
            state.jobs.append(Job(number: state.next, run: work, refuse: refuse))
            defer { state.hasThread = true }
            return (state.next, !state.hasThread)
        }
        if needsThread, !start({ [self] in serve() }) { refuseAll() }
        wake.signal()
        return number
    }

    private func refuseAll() {
        let jobs = state.withLock { state in
            defer { (state.jobs, state.hasThread) = ([], false) }
            return state.jobs
        }
        for job in jobs { job.refuse(HostError(.hostIO, "The system has no thread left for this device.")) }
    }

    private func cancel(_ number: Int) {
        let job = state.withLock { state in
            state.jobs.firstIndex { $0.number == number }.map { state.jobs.remove(at: $0) }
        }
        job?.refuse(HostError(.cancelled, "The request was cancelled."))
    }

    private func serve() {
        while true {
            let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            if let job {
                job.run()
            } else if let time = idle() {
                _ = wake.wait(timeout: time)
            } else if endsThread() {
                return
            }
        }
    }

    /// Whether the thread ends, because no job was added meanwhile.
    private func endsThread() -> Bool {
        state.withLock { state in
            state.hasThread = !state.jobs.isEmpty
            return state.jobs.isEmpty
        }
    }
}
