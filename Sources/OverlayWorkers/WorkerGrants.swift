import CSystemShims
import Glibc
import Platform

/// Grants threads to a worker, up to a limit, and changes attributes of files in its folder. Uses a thread of the
/// host that ends with the worker.
///
/// Unchecked: used by the thread that starts the worker. The granting thread gets copies of its values.
final class WorkerGrants: @unchecked Sendable {
    private var ours: Int32 = -1
    /// The worker's end of the connection; -1 if there is none, or after it was passed to the worker.
    private(set) var theirs: Int32 = -1

    /// Creates the connection. Without it, the number of the worker's threads cannot be limited.
    init() {
        if let pair = SocketPair() { (ours, theirs) = (pair.ours, pair.theirs) }
    }

    deinit {
        for descriptor in [ours, theirs] where descriptor >= 0 { close(descriptor) }
    }

    /// Starts granting. If the system cannot create a thread for this, the connection ends, and the worker ends when
    /// it creates its first thread.
    ///
    /// - Parameters:
    ///   - folder: the worker's own folder; empty if there is none.
    ///   - threads: the largest number of threads.
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
