import CSystemShims
import Glibc

/// Grants one worker threads, up to a limit, and attributes of files in its folder, by a thread of the host's that ends with the
/// worker.
///
/// Unchecked: used by the thread that starts the worker; the granting thread gets a copy of what it needs.
final class WorkerGrants: @unchecked Sendable {
    /// What the granting thread works on.
    private struct Work: Sendable {
        let socket: Int32
        let worker: Int32
        let folder: String
        let threads: UInt32
    }

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

    /// Begins to grant, when the worker has been started as this process; a number below 0: it has not. If there is no thread to
    /// grant by, the connection ends, and the worker with its first thread.
    ///
    /// - Parameters:
    ///   - folder: the worker's own; empty for none.
    ///   - threads: as many as it may have.
    func begin(_ worker: Int32, folder: String, threads: UInt32) {
        if theirs >= 0 { close(theirs) }
        theirs = -1
        guard ours >= 0, worker > 0 else { return }
        let work = UnsafeMutablePointer<Work>.allocate(capacity: 1)
        work.initialize(to: Work(socket: ours, worker: worker, folder: folder, threads: threads))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 256 << 10)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { pointer in
                guard let work = pointer?.assumingMemoryBound(to: Work.self) else { return nil }
                let asked = work.move()
                work.deallocate()
                shim_serve_grants(asked.socket, asked.worker, asked.folder, asked.threads)
                return nil
            }, work)
        if result != 0 {
            work.deinitialize(count: 1)
            work.deallocate()
            close(ours)
        }
        ours = -1
    }
}
