import Glibc
import Synchronization

/// A local file that is accessed piece by piece. It stays open in between only if the budget allows it.
///
/// When it is opened again it must be the same file, and a file that is read must not have changed. The budget refers
/// to it while it is kept open, so its owner must close it when done.
final class LocalDescriptor: Sendable {
    enum Purpose {
        case reading
        /// Writing a file that the first opening creates.
        case writing
        /// Writing a file that already exists.
        case continuing
    }

    private struct Identity: Equatable {
        var device: dev_t
        var inode: ino_t
        var size: off_t?
        var seconds: Int?
        var nanoseconds: Int?

        init(_ status: stat, _ purpose: Purpose) {
            (device, inode) = (status.st_dev, status.st_ino)
            guard purpose == .reading else { return }
            (size, seconds, nanoseconds) = (status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private struct State {
        /// The descriptor; -1 while the file is closed.
        var descriptor: Int32 = -1
        var isKept = false
        /// The identity of the file at the first opening.
        var identity: Identity?
    }

    private let path: String
    private let subject: String
    private let purpose: Purpose
    private let budget: LocalFileBudget
    private let context: OperationContext
    private let state = Mutex(State())

    /// Prepares a file, which is opened on first use. Errors name `subject`.
    init(
        _ path: String, for purpose: Purpose, about subject: String, _ budget: LocalFileBudget,
        _ context: OperationContext
    ) {
        self.path = path
        self.subject = subject
        self.purpose = purpose
        self.budget = budget
        self.context = context
    }

    /// Calls `body` with the descriptor. With `keeping`, the file stays open if the budget allows it.
    func use<Value: Sendable>(
        keeping: Bool = true, _ body: (Int32) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        try state.withLock { state throws(TransportError) in
            if state.descriptor < 0 { try open(&state, keeping) }
            defer { if !state.isKept { close(&state) } }
            return try body(state.descriptor)
        }
    }

    /// Closes the file until it is used again.
    func close() { state.withLock { close(&$0) } }

    /// Closes the file unless it is in use. Returns whether it was open.
    func closeUnlessUsed() -> Bool {
        state.withLockIfAvailable { state in
            defer { close(&state) }
            return state.descriptor >= 0
        } ?? false
    }

    private func close(_ state: inout State) {
        guard state.descriptor >= 0 else { return }
        budget.close(state.descriptor)
        if state.isKept { budget.forget(self) }
        (state.descriptor, state.isKept) = (-1, false)
    }

    private func open(_ state: inout State, _ keeping: Bool) throws(TransportError) {
        let (flags, doing): (Int32, String) =
            switch purpose {
            case .reading: (O_RDONLY | O_NONBLOCK, "Reading the file")
            case .writing where state.identity == nil:
                (O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "Creating the file")
            case .writing, .continuing: (O_WRONLY | O_NOFOLLOW | O_NONBLOCK, "Writing the file")
            }
        state.descriptor = try budget.open(path, flags | O_CLOEXEC, doing: doing, subject: subject, context)
        // Another host that shares the folder recognizes by the lock that the file is in use.
        if purpose != .reading { flock(state.descriptor, LOCK_SH | LOCK_NB) }
        var status = stat()
        guard fstat(state.descriptor, &status) == 0 else {
            let error = TransportError(posix: errno, doing: doing, subject: subject)
            close(&state)
            throw error
        }
        let identity = Identity(status, purpose)
        if let first = state.identity, first != identity {
            close(&state)
            throw TransportError(
                .verificationFailed,
                purpose == .reading
                    ? "The file changed while it was being sent." : "The unfinished file was removed.",
                subject: subject, hint: "Try again.")
        }
        state.identity = identity
        state.isKept = keeping && budget.keep(self)
    }
}
