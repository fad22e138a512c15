import DeviceWire
import Synchronization

/// The files of one root on a device.
///
/// Methods block, and any number of threads may call them at once (not on Swift's concurrency pool). Work is
/// spread over several connections with several requests under way on each; longer batches open further
/// connections, which are kept. A connection that failed or owes an answer is replaced by the next call that
/// needs one. A device that has no resources left for a request gets fewer at a time, and is asked again. An
/// item fails with `.busy` after ten seconds without success, and the rest of a batch after thirty.
///
/// Paths start at the root (`/Documents/a.epub`); the leading `/` may be left out. `..`, empty paths, NUL, names of more
/// than 255 and paths of more than 1,023 bytes are `.invalidArgument`. Every error names the path it is about. A batch
/// never throws: each item has its own result, and what was finished before a cancel, a deadline or an unplugged cable
/// stays a success. Closures given to a method run on the calling thread and must not use the same `DeviceFiles`.
public final class DeviceFiles: Sendable {
    /// The root.
    public let root: DeviceRoot
    /// The device's session.
    public let session: DeviceSession
    let pool: ChannelPool
    /// Temporary names that are being written.
    private let writing = Mutex<Set<String>>([])

    init(root: DeviceRoot, session: DeviceSession, first: ServiceConnection) {
        self.root = root
        self.session = session
        pool = ChannelPool(session, root, first: first)
    }

    /// The costs so far, over all calls.
    public var counters: TransferCounters { pool.counters }

    /// Closes connections that are not in use; later calls open new ones.
    public func close() { pool.closeIdle() }

    /// Runs jobs to their ends; `finished` gets each job on this thread.
    func run(
        _ jobs: [AFCJob], _ context: OperationContext, _ meter: ProgressMeter? = nil,
        finished: (AFCJob) -> Void = { _ in }
    ) {
        guard !jobs.isEmpty else { return }
        let meter = meter ?? ProgressMeter(context, items: jobs.count)
        withoutActuallyEscaping(finished) { finished in
            do throws(TransportError) {
                try pool.unlessNested {
                    AFCRun(jobs, pool, session, context, meter, finished: finished).perform()
                }
            } catch {
                for job in jobs {
                    job.drop(error)
                    finished(job)
                }
            }
        }
    }

    /// Reserves a name for writing; false when another call is writing it.
    func reserve(_ temporary: String) -> Bool { writing.withLock { $0.insert(temporary).inserted } }

    func release(_ temporary: String) { writing.withLock { _ = $0.remove(temporary) } }

    /// Sends one request with a checked path, and returns the result of `parse`.
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

    /// A request of a batch.
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

    /// Sends one request for each item, all overlapping; the results are in the order of the items.
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

    /// The results of a batch, collected by the thread that runs it.
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
    /// Opens a root. When iOS refuses it, throws the reason with a hint.
    ///
    /// It uses the connection that `roots` made for this root, and closes those for others: a device gives few.
    public func open(_ root: DeviceRoot, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> DeviceFiles
    {
        DeviceFiles(root: root, session: self, first: try takeConnection(root, context))
    }
}
