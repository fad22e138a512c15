import Glibc
import Platform
import Synchronization

/// A group of threads. Their owner joins all of them before it reports that it has stopped.
final class WorkerThreads: Sendable {
    private struct State {
        var running: Set<SystemThread> = []
        var finished: [SystemThread] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs `body` on a new thread. Returns false if no thread can be created, or `joinAll` was called.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        reap()
        let work: @Sendable () -> Void = { [self] in
            // OpenSSL writes without MSG_NOSIGNAL, so SIGPIPE is blocked: a client that has gone must not end the
            // process.
            var mask = sigset_t()
            sigemptyset(&mask)
            sigaddset(&mask, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &mask, nil)
            body()
            let me = SystemThread.current
            state.withLock { state in
                // A thread that is no longer listed is already being joined.
                if state.running.remove(me) != nil { state.finished.append(me) }
            }
        }
        // The lock is held until the thread is in `running`; otherwise it could finish before it is added.
        return state.withLock { state in
            guard !state.isClosed else { return false }
            guard let thread = SystemThread(work) else { return false }
            state.running.insert(thread)
            return true
        }
    }

    /// Whether the calling thread belongs to this group.
    var includeCurrent: Bool {
        let me = SystemThread.current
        return state.withLock { $0.running.contains(me) }
    }

    /// Joins threads that have ended, which frees their resources.
    func reap() {
        let finished = state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
        for thread in finished { thread.join() }
    }

    /// Waits for all threads except the calling one. No further thread can be started.
    func joinAll() {
        while let thread = next() { thread.join() }
    }

    /// Allows new threads again after `joinAll`.
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
