import Glibc
import Platform
import Synchronization

/// Threads that are all joined before their owner says it has stopped.
final class WorkerThreads: Sendable {
    private struct State {
        var running: Set<SystemThread> = []
        var finished: [SystemThread] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs `body` on a new thread; false when the system has none to give, or `joinAll` was called.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        reap()
        let work: @Sendable () -> Void = { [self] in
            // OpenSSL writes without MSG_NOSIGNAL; a client that is gone must not end the process.
            var mask = sigset_t()
            sigemptyset(&mask)
            sigaddset(&mask, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &mask, nil)
            body()
            let me = SystemThread.current
            state.withLock { state in
                // A thread that is no longer listed is being joined already.
                if state.running.remove(me) != nil { state.finished.append(me) }
            }
        }
        // The lock is held until the thread is in `running`, or it could have finished before it gets there.
        return state.withLock { state in
            guard !state.isClosed else { return false }
            guard let thread = SystemThread(work) else { return false }
            state.running.insert(thread)
            return true
        }
    }

    /// Whether the calling thread is one of these.
    var includeCurrent: Bool {
        let me = SystemThread.current
        return state.withLock { $0.running.contains(me) }
    }

    /// Gives back what ended threads still hold.
    func reap() {
        let finished = state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
        for thread in finished { thread.join() }
    }

    /// Waits for every thread but the calling one; no further thread can be started.
    func joinAll() {
        while let thread = next() { thread.join() }
    }

    /// Makes threads possible again after `joinAll`.
    func reopen() {
        state.withLock { $0.isClosed = false }
    }

    private func next() -> SystemThread? {
        let me = SystemThread.current
        return state.withLock { state in
            state.isClosed = true
            if let thread = state.finished.popLast() { return thread }
            guard let thread = state.running.first(where: { $0 != me }) else { return nil }
            state.running.remove(thread)
            return thread
        }
    }
}
