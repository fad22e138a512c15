import Glibc
import Synchronization

/// Limits the number of local files that transfers keep open at a time, over all devices of the process.
///
/// A transfer never waits for the budget: a file beyond it is opened for each piece and closed again, so devices do
/// not block each other. If descriptors run out, kept files are closed first, and opened again for their next pieces.
package final class LocalFileBudget: Sendable {
    /// The default for sessions: an eighth of the descriptors that this process may have. More would not help,
    /// because only few files are read or written at the same moment.
    package static let shared = LocalFileBudget(most: max(16, allowed / 8))

    /// Opens a path with these flags. Returns the descriptor or a negative `errno`.
    package typealias Opener = @Sendable (_ path: String, _ flags: Int32) -> Int32

    private struct State {
        var kept: [ObjectIdentifier: LocalDescriptor] = [:]
        var open = 0
        var mostOpen = 0
        /// The time when a wait for a descriptor last failed.
        var waitedInVain: ContinuousClock.Instant?
    }

    private let most: Int
    private let patience: Duration
    private let opener: Opener
    private let state = Mutex(State())

    /// Creates a budget.
    ///
    /// - Parameters:
    ///  - most: the largest number of files that are kept open.
    ///  - patience: the time to wait for a descriptor if none is free and no kept file can be closed.
    package init(most: Int, patience: Duration = .seconds(5), opener: @escaping Opener = openFile) {
        self.most = most
        self.patience = patience
        self.opener = opener
    }

    /// The largest number of files that were open at a time, including those opened for one piece.
    package var mostOpen: Int { state.withLock { $0.mostOpen } }

    /// The number of files that are open now.
    package var open: Int { state.withLock { $0.open } }

    /// Opens with `open(2)`.
    package static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        let descriptor = Glibc.open(path, flags, 0o644)
        return descriptor >= 0 ? descriptor : -errno
    }

    /// The number of descriptors that this process may have, at most 1,024, because libimobiledevice cannot use
    /// higher ones.
    private static var allowed: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: min(limit.rlim_cur, 1024))
    }

    /// Opens a file. If no descriptor is free, closes kept files, then waits for other parts of the program to close
    /// some.
    func open(
        _ path: String, _ flags: Int32, doing: String, subject: String, _ context: OperationContext
    ) throws(TransportError) -> Int32 {
        var end: ContinuousClock.Instant?
        while true {
            let result = opener(path, flags)
            if result >= 0 {
                state.withLock { state in
                    state.open += 1
                    state.mostOpen = max(state.mostOpen, state.open)
                }
                return result
            }
            let error = TransportError(posix: -result, doing: doing, subject: subject)
            guard error.code == .tooManyDescriptors else { throw error }
            try context.check()
            if closeOne() { continue }
            let limit = end ?? firstLimit
            end = limit
            guard ContinuousClock.now < limit else {
                state.withLock { $0.waitedInVain = .now }
                throw error
            }
            poll(nil, 0, 10)
        }
    }

    /// The end of the wait for a descriptor. If another wait has just failed, this one does not start.
    private var firstLimit: ContinuousClock.Instant {
        let before = state.withLock { $0.waitedInVain }
        if let before, ContinuousClock.now - before < .seconds(1) { return .now }
        return .now.advanced(by: patience)
    }

    func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
        state.withLock { $0.open -= 1 }
    }

    /// Whether a file may stay open after a piece.
    func keep(_ file: LocalDescriptor) -> Bool {
        state.withLock { state in
            guard state.kept.count < most else { return false }
            state.kept[ObjectIdentifier(file)] = file
            return true
        }
    }

    func forget(_ file: LocalDescriptor) {
        state.withLock { _ = $0.kept.removeValue(forKey: ObjectIdentifier(file)) }
    }

    /// Closes a kept file that is not in use. Returns false if there is none.
    func closeOne() -> Bool {
        let kept = state.withLock { Array($0.kept.values) }
        return kept.contains { $0.closeUnlessUsed() }
    }
}

extension LocalFileBudget: Hashable {
    /// Compares by identity.
    package static func == (left: LocalFileBudget, right: LocalFileBudget) -> Bool { left === right }

    /// Hashes the identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
