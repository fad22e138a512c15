import DeviceWire
import Synchronization

/// The files of one root on a device.
///
/// Methods block, and any number of threads may call them at once (not on Swift's concurrency pool). Work is
/// distributed over several connections with several requests in flight on each. Longer batches open further
/// connections, which are kept. A connection that failed or owes an answer is replaced by the next call that needs
/// one. If a device lacks resources for a request, fewer requests are sent at a time, and the request is repeated. An
/// item fails with `.busy` after ten seconds without success, and the rest of a batch after thirty.
///
/// Paths start at the root (`/Documents/a.epub`); the leading `/` is optional. `..`, empty paths, NUL, names of more
/// than 255 bytes and paths of more than 1,023 bytes are `.invalidArgument`. Every error names its path. A batch
/// never throws: each item has its own result, and items that were finished before a cancellation, a deadline or a
/// disconnect remain successful. Closures given to a method run on the calling thread and must not use the same
/// `DeviceFiles`.
public final class DeviceFiles: Sendable {
    /// The root of the files.
    public let root: DeviceRoot
    /// The session with the device.
    public let session: DeviceSession
    let pool: ChannelPool
    /// The temporary names of files that are being written.
    private let writing = Mutex<Set<String>>([])
    /// Whether the device left the request for its space unanswered.
    let isSilentAboutSpace = Atomic(false)

    init(root: DeviceRoot, session: DeviceSession, first: ServiceConnection) {
        self.root = root
        self.session = session
        pool = ChannelPool(session, root, first: first)
    }

    /// The costs of all calls so far.
    public var counters: TransferCounters { pool.counters }

    /// Closes connections that are not in use. Later calls open new ones.
    public func close() { pool.closeIdle() }

    /// Runs jobs until all have ended. `finished` gets each job on this thread.
    func run(
        _ jobs: [AFCJob], _ context: OperationContext, _ meter: ProgressMeter? = nil,
        finished: (AFCJob) -> Void = { _ in }
    ) {
        guard !jobs.isEmpty else { return }
        let meter = meter ?? ProgressMeter(context, items: jobs.count)
        withoutActuallyEscaping(finished) { finished in
            do throws(TransportError) {
                try pool.enter()
                defer { pool.leave() }
                AFCRun(jobs, pool, session, context, meter, finished: finished).perform()
            } catch {
                for job in jobs {
                    job.drop(error)
                    finished(job)
                }
            }
        }
    }

    /// Reserves a temporary name for writing. Returns false if another call is using it.
    func reserve(_ temporary: String) -> Bool { writing.withLock { $0.insert(temporary).inserted } }

    func release(_ temporary: String) { writing.withLock { _ = $0.remove(temporary) } }

    /// Sends one request with a validated path, and returns the result of `parse`.
    func request<Value: Sendable>(
        _ request: AFCRequest, about path: String, expecting: Int = 0,
        _ context: OperationContext,
        _ parse: @escaping (BorrowedReply) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        let results = requests([0], context) { (_) throws(TransportError) in
            Request(request, path, expecting: expecting)
        } parse: { answer, _ throws(TransportError) in
            try parse(answer)
        }
        return try results[0].get()
    }

    /// One request of a batch.
    struct Request {
        var request: AFCRequest
        var path: String
        var expecting: Int
        var removes: Bool

        init(_ request: AFCRequest, _ path: String, expecting: Int = 0, removes: Bool = false) {
            self.request = request
            self.path = path
            self.expecting = expecting
            self.removes = removes
        }
    }

    /// Sends one request for each item, in parallel. The results are in the order of the items.
    func requests<Item, Value: Sendable>(
        _ items: [Item], _ context: OperationContext,
        make: (Item) throws(TransportError) -> Request,
        parse: @escaping (BorrowedReply, String) throws(TransportError) -> Value
    ) -> [TransferResult<Value>] {
        let results = Results<Value>(items.count)
        let jobs = items.enumerated().map { index, item -> AFCJob in
            do throws(TransportError) {
                let request = try make(item)
                return RequestJob(
                    index, request.request, about: request.path, expecting: request.expecting,
                    removes: request.removes
                ) { answer in
                    do throws(TransportError) {
                        results.values[index] = .success(try parse(answer, request.path))
                        return nil
                    } catch {
                        return error
                    }
                }
            } catch {
                return RefusedJob(index, error)
            }
        }
        run(jobs, context) { job in
            if let failure = job.failure { results.values[job.index] = .failure(failure) }
        }
        return results.finished
    }

    /// The results of a batch, which the thread that runs it collects.
    final class Results<Value> {
        var values: [Result<Value, TransportError>?]

        init(_ count: Int) { values = Array(repeating: nil, count: count) }

        var finished: [Result<Value, TransportError>] {
            values.map {
                $0 ?? .failure(TransportError(.internalFailure, "An item of a batch has no result."))
            }
        }
    }
}

extension DeviceSession {
    /// Opens a root. If iOS refuses it, throws the reason with a hint.
    ///
    /// Uses the connection that `roots` opened for this root, and closes those for others, because a device allows
    /// few.
    public func open(_ root: DeviceRoot, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> DeviceFiles
    {
        DeviceFiles(root: root, session: self, first: try takeConnection(root, context))
    }
}
