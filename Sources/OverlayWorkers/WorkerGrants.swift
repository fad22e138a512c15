import CSystemShims
import Glibc
import Platform

/// Grants one worker threads, up to a limit, and attributes of files in its folder, by a thread of the host's that ends with the
/// worker.
///
/// Unchecked: used by the thread that starts the worker; the granting thread gets a copy of what it needs.
final class WorkerGrants: @unchecked Sendable {
    private var ours: Int32 = -1
    /// The worker's end of the connection; -1 if there is none, or once it has been handed over.
    private(set) var theirs: Int32 = -1

    /// Makes the connection. Without one the worker cannot be asked to count its threads.
    init() {
        var pair: [Int32] = [-1, -1]
        if shim_socketpair(&pair) == 0 { (ours, theirs) = (pair[0], pair[1]) }
    }

    deinit {
        for descriptor in [ours, theirs] where descriptor >= 0 { close(descriptor) }
    }

    /// Begins to grant. If the system has no thread left to grant by, the connection ends, and the worker ends with its first
    /// thread.
    ///
    /// - Parameters:
    ///   - folder: the worker's own; empty for none.
    ///   - threads: as many as it may have.
    func begin(_ worker: Int32, folder: String, threads: UInt32) {
        if theirs >= 0 { close(theirs) }
        theirs = -1
        guard ours >= 0, worker > 0 else { return }
        let isStarted = SystemThread.detached(stackSize: 256 << 10) { [ours] in
            shim_serve_grants(ours, worker, folder, threads)
        }
        if !isStarted { close(ours) }
        ours = -1
    }
}
