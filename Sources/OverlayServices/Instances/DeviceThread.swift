import Dispatch
import Glibc
import Platform
import Synchronization

/// The only thread that calls the methods of an instance, one at a time. Callers wait for their calls.
package final class DeviceThread: Sendable {
    /// The stack size in bytes. Overlays may parse deeply nested data, and unused memory costs nothing.
    private static let stackSize = 16 << 20

    private struct State {
        var job: Job?
        var isEnded = false
        var isAbandoned = false
        var thread: pthread_t?
    }

    /// Work for the thread. Unchecked: the caller waits for its end, so only one thread at a time uses the captured
    /// values. Work with a time limit only captures references that may remain in use.
    private struct Job: @unchecked Sendable {
        let run: () -> Void
        let done: DispatchSemaphore
    }

    private let state = Mutex(State())
    private let started = DispatchSemaphore(value: 0)
    private let wake = DispatchSemaphore(value: 0)
    /// Held during a call, so that calls from several threads wait for each other.
    private let turn = DispatchSemaphore(value: 1)

    /// Starts the thread; nil if the system cannot create one.
    package init?() {
        guard SystemThread.detached(stackSize: Self.stackSize, serve) else { return nil }
        started.wait()
    }

    /// The identity of the thread, which does not change.
    package var identity: pthread_t? { state.withLock { $0.thread } }

    /// Runs `body` on the thread and returns its result; nil if the thread had already been ended or abandoned.
    package func run<Result>(_ body: () -> Result) -> Result? {
        turn.wait()
        defer { turn.signal() }
        return withoutActuallyEscaping(body) { body in
            var call = Call(body: body)
            withUnsafeMutablePointer(to: &call) { call in
                // Pass an address instead of the closure, because the thread could keep a reference to the closure
                // for a moment after signalling its end.
                let address = UnsafeMutableRawPointer(call)
                let job = Job(
                    run: {
                        let call = address.assumingMemoryBound(to: Call<Result>.self)
                        call.pointee.result = call.pointee.body()
                    },
                    done: DispatchSemaphore(value: 0))
                if enqueue(job) { job.done.wait() }
            }
            return call.result
        }
    }

    /// The work of a waiting caller, with its result.
    private struct Call<Result> {
        let body: () -> Result
        var result: Result?
    }

    /// Runs `body` on the thread and waits for it for at most `limit`. If it does not end in time, returns false and
    /// abandons the thread, which then runs nothing else. Also returns false if the thread had already been ended.
    package func run(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
        turn.wait()
        defer { turn.signal() }
        let job = Job(run: body, done: DispatchSemaphore(value: 0))
        guard enqueue(job) else { return false }
        if job.done.wait(timeout: .now() + limit.dispatchInterval) == .success { return true }
        state.withLock { $0.isAbandoned = true }
        return false
    }

    /// Lets the thread end when it is idle.
    package func end() {
        state.withLock { $0.isEnded = true }
        wake.signal()
    }

    private func enqueue(_ job: Job) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isEnded, !state.isAbandoned else { return false }
            state.job = job
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    /// The main function of the thread.
    @Sendable private func serve() {
        state.withLock { $0.thread = pthread_self() }
        started.signal()
        while true {
            wake.wait()
            let (job, isEnded) = state.withLock { state in
                defer { state.job = nil }
                return (state.job, state.isEnded)
            }
            if let job {
                job.run()
                job.done.signal()
            }
            if isEnded { return }
        }
    }
}

extension Duration {
    /// The same duration for Dispatch. A negative duration counts as zero.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !nanoseconds.overflow, nanoseconds.partialValue < Int64.max / 2 else { return .never }
        return .nanoseconds(Int(max(0, nanoseconds.partialValue + attoseconds / 1_000_000_000)))
    }
}
