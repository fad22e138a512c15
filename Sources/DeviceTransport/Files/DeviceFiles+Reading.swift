extension DeviceFiles {
    /// Reads a part of a file. The result is shorter than `range` only at the end of the file.
    public func read(
        _ path: String, range: Range<UInt64>, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> [UInt8] {
        try readMany([FileReadRequest(path, range: range)], context)[0].get()
    }

    /// Reads a complete file of at most `limit` bytes, or throws `.tooLarge`. The result never has fewer bytes than
    /// the size that the device reports.
    public func readWhole(
        _ path: String, limit: Int = 256 << 20, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> [UInt8] {
        try readMany([FileReadRequest(path, limit: limit)], context)[0].get()
    }

    /// Passes a file, or a part of it, to `sink` piece by piece, in order, on the calling thread.
    ///
    /// The bytes are valid only during the call. If `sink` throws, reading ends and the error is rethrown. Returns
    /// the number of bytes delivered.
    @discardableResult
    public func readChunks(
        _ path: String, range: Range<UInt64>? = nil, _ context: OperationContext = OperationContext(),
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> UInt64 {
        let request = FileReadRequest(try DevicePath(path).text, range: range, limit: .max)
        let meter = ProgressMeter(context, items: 1)
        let (failure, delivered) = withoutActuallyEscaping(sink) { sink -> (TransportError?, UInt64) in
            let job = SinkJob(request, chunk: session.options.chunkSize, meter) { piece in
                do throws(TransportError) {
                    try sink(piece)
                    return nil
                } catch {
                    return error
                }
            }
            run([job], context, meter)
            return (job.failure, job.delivered)
        }
        if let failure { throw failure }
        return delivered
    }

    /// Reads many files, or parts of files. The results are in the requested order.
    public func readMany(_ requests: [FileReadRequest], _ context: OperationContext = OperationContext())
        -> [TransferResult<[UInt8]>]
    {
        let results = Results<[UInt8]>(requests.count)
        readMany(requests, context) { results.values[$0] = $1 }
        return results.finished
    }

    /// Reads many files, or parts of files. Calls `each` on the calling thread with each result as soon as it is
    /// complete, in any order, with its index in `requests`.
    public func readMany(
        _ requests: [FileReadRequest], _ context: OperationContext = OperationContext(),
        each: (Int, TransferResult<[UInt8]>) -> Void
    ) {
        let groups = Self.groups(requests, longest: session.options.chunkSize)
        let meter = ProgressMeter(context, items: groups.count)
        let jobs = groups.map { places -> AFCJob in
            let index = places[0]
            do throws(TransportError) {
                var request = requests[index]
                request.path = try DevicePath(request.path).text
                let chunk = session.options.chunkSize
                guard places.count == 1 else {
                    return PartsJob(places, requests, path: request.path, chunk: chunk, meter)
                }
                return CollectJob(index, request, chunk: chunk, meter)
            } catch {
                return RefusedJob(index, error)
            }
        }
        run(jobs, context, meter) { job in
            if let job = job as? CollectJob {
                each(job.index, job.result())
            } else if let job = job as? PartsJob {
                for (place, result) in job.results() { each(place, result) }
            } else if let failure = job.failure {
                for place in groups.first(where: { $0[0] == job.index }) ?? [] {
                    each(place, .failure(failure))
                }
            }
        }
    }

    /// Groups requests that can be read while their file is open once: successive parts of the same file, each of
    /// which fits into one answer.
    private static func groups(_ requests: [FileReadRequest], longest: Int) -> [[Int]] {
        func isPart(_ request: FileReadRequest) -> Bool {
            guard let range = request.range, !request.once else { return false }
            return range.upperBound - range.lowerBound <= UInt64(min(longest, max(0, request.limit)))
        }
        var groups: [[Int]] = []
        for (place, request) in requests.enumerated() {
            if let first = groups.last?.first, requests[first].path == request.path, isPart(request),
                isPart(requests[first]), groups[groups.count - 1].count < 16
            {
                groups[groups.count - 1].append(place)
            } else {
                groups.append([place])
            }
        }
        return groups
    }

    /// Reads the beginning and the end of each of many files, where most formats keep their metadata. The results are
    /// in the requested order. Takes two round trips for all files that are processed together.
    ///
    /// - Parameters:
    ///  - head: the number of bytes to read from the beginning, up to 4 MiB.
    ///  - tail: the number of bytes to read from the end, up to 4 MiB.
    public func readEnds(
        _ paths: [String], head: Int, tail: Int, _ context: OperationContext = OperationContext()
    ) -> [TransferResult<FileEnds>] {
        let (head, tail) = (min(max(head, 0), 4 << 20), min(max(tail, 0), 4 << 20))
        let meter = ProgressMeter(context, items: paths.count)
        let results = Results<FileEnds>(paths.count)
        let jobs = paths.enumerated().map { index, path -> AFCJob in
            do throws(TransportError) {
                return EndsJob(
                    index, try DevicePath(path).text, head: head, tail: tail,
                    chunk: session.options.chunkSize, meter)
            } catch {
                return RefusedJob(index, error)
            }
        }
        run(jobs, context, meter) { job in
            results.values[job.index] =
                (job as? EndsJob)?.result() ?? job.failure.map { .failure($0) }
        }
        return results.finished
    }

    /// Copies one file to the host. Returns its status on the device.
    @discardableResult
    public func pull(_ request: PullRequest, _ context: OperationContext = OperationContext())
        throws(TransportError) -> FileStatus
    {
        try pullMany([request], context)[0].get()
    }

    /// Copies many files to the host. The results are in the requested order; `each` gets each result when it is
    /// complete.
    public func pullMany(
        _ requests: [PullRequest], _ context: OperationContext = OperationContext(),
        each: (Int, TransferResult<FileStatus>) -> Void = { _, _ in }
    ) -> [TransferResult<FileStatus>] {
        let meter = ProgressMeter(context, items: requests.count)
        let results = Results<FileStatus>(requests.count)
        let jobs = requests.enumerated().map { index, request -> AFCJob in
            do throws(TransportError) {
                return PullJob(
                    index, request, path: try DevicePath(request.path).text, chunk: session.options.chunkSize,
                    meter, session.options.localFiles, context)
            } catch {
                return RefusedJob(index, error)
            }
        }
        run(jobs, context, meter) { job in
            guard let result = (job as? PullJob)?.result() ?? job.failure.map({ .failure($0) }) else {
                return
            }
            results.values[job.index] = result
            each(job.index, result)
        }
        return results.finished
    }
}
