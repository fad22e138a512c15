import OverlayABI
import OverlayBridge

extension TransportService {
    /// Type, size and times of many files: one result for each path, in their order. The result for a missing path is
    /// `notFound`, but the call does not throw.
    public func stat(
        _ root: Root, _ paths: [String]
    ) throws(OverlayError) -> [Result<FileInfo, OverlayError>] {
        let arena = Arena()
        var views = arena.texts(paths)
        let receiver = RowReceiver<FileRow>()
        var sink = receiver.fileSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.stat, "transport.stat") {
                $0(table.ctx, root.rawValue, &views, &sink, $1)
            }
        }
        var results = BatchResults<FileInfo>(count: paths.count, "transport.stat")
        for row in receiver.rows {
            try results.set(row.index) {
                let path = paths[$0]
                return row.result.mapError { $0.about(path) }
            }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in try results.complete() }
    }

    /// Performs many small reads, and passes each result to `each` as it arrives, in any order. If a read fails, its
    /// result is a failure, but the call does not throw.
    ///
    /// The bytes are valid only during the call of `each`. If `each` throws, the batch ends and throws this error.
    public func readMany(
        _ root: Root, _ requests: [ReadRequest],
        each: (Int, Result<UnsafeRawBufferPointer, OverlayError>) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let arena = Arena()
        var list = arena.list(requests) { $0.record(in: arena) }
        let failure: OverlayError? = withoutActuallyEscaping(each) { each in
            var seen = BatchResults<Void>(count: requests.count, "transport.read_many")
            let receiver = RowReceiver<ReadRow> { (row) throws(OverlayError) in
                let index = try seen.set(row.index) { _ in .success(()) }
                let request = requests[index]
                if case .success(let bytes) = row.result, UInt64(bytes.count) > request.length {
                    throw .contractBroken("More bytes arrived than were requested.", subject: request.path)
                }
                try each(index, row.result.mapError { $0.about(request.path) })
            }
            var sink = receiver.readSink()
            do throws(OverlayError) {
                try receiver.finish { () throws(OverlayError) in
                    try ServiceCall.perform(table.read_many, "transport.read_many") {
                        $0(table.ctx, root.rawValue, &list, &sink, $1)
                    }
                }
                _ = try seen.complete()
                return nil
            } catch {
                return error
            }
        }
        withExtendedLifetime(arena) {}
        if let failure { throw failure }
    }

    /// Performs many small reads: one result for each request, in their order.
    public func readMany(
        _ root: Root, _ requests: [ReadRequest]
    ) throws(OverlayError) -> [Result<[UInt8], OverlayError>] {
        var results = [Result<[UInt8], OverlayError>](repeating: .success([]), count: requests.count)
        try readMany(root, requests) { (index, bytes) throws(OverlayError) in
            results[index] = bytes.map { Array($0) }
        }
        return results
    }

    /// Copies many files of the host to the device. Passes one row for each item to `each` when it is done, in any
    /// order. If an item fails, its row is a failure, but the call does not throw.
    ///
    /// If `each` throws, the batch ends and throws this error.
    public func push(
        _ root: Root, _ items: [PushItem], verifyDigest: Bool = false,
        each: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let arena = Arena()
        var list = arena.list(items) { $0.record(in: arena) }
        let options = verifyDigest ? OVL_WRITE_VERIFY_DIGEST : 0
        try receiveResults(count: items.count, "transport.push", each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.push, "transport.push") {
                $0(table.ctx, root.rawValue, &list, options, sink, $1)
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Copies many files of the host to the device: one row for each item, in their order.
    public func push(
        _ root: Root, _ items: [PushItem], verifyDigest: Bool = false
    ) throws(OverlayError) -> [ItemResult] {
        var rows: [ItemResult] = []
        try push(root, items, verifyDigest: verifyDigest) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    /// Copies many files of the device to a temporary place on the host. Passes one row for each path, with the new
    /// `file`, to `each` when it is done, in any order.
    ///
    /// The files are valid until the running method returns. If `each` throws, the batch ends and throws this error.
    public func pull(
        _ root: Root, _ paths: [String], each: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let arena = Arena()
        var views = arena.texts(paths)
        try receiveResults(count: paths.count, "transport.pull", each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.pull, "transport.pull") {
                $0(table.ctx, root.rawValue, &views, sink, $1)
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Copies many files of the device to a temporary place on the host: one row for each path, in their order.
    public func pull(_ root: Root, _ paths: [String]) throws(OverlayError) -> [ItemResult] {
        var rows: [ItemResult] = []
        try pull(root, paths) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    private func receiveResults(
        count: Int, _ name: StaticString, _ each: (ItemResult) throws(OverlayError) -> Void,
        _ call: (UnsafePointer<ovl_result_sink>) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let failure: OverlayError? = withoutActuallyEscaping(each) { each in
            var seen = BatchResults<Void>(count: count, name)
            let receiver = RowReceiver<ItemResult> { (row) throws(OverlayError) in
                try seen.set(UInt64(row.index)) { _ in .success(()) }
                try each(row)
            }
            var sink = receiver.resultSink()
            do throws(OverlayError) {
                try receiver.finish { () throws(OverlayError) in try call(&sink) }
                _ = try seen.complete()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}

/// Collects exactly one result for each input of a batch, by index.
struct BatchResults<Value> {
    private let name: StaticString
    private var results: [Result<Value, OverlayError>?]
    private var missing: Int

    init(count: Int, _ name: StaticString) {
        self.name = name
        results = Array(repeating: nil, count: count)
        missing = count
    }

    /// Sets the result of an input, and returns its index.
    ///
    /// - Throws: `contractBroken` for an unknown input, or one that already has a result.
    @discardableResult
    mutating func set(
        _ index: UInt64, _ result: (Int) -> Result<Value, OverlayError>
    ) throws(OverlayError) -> Int {
        guard let position = Int(exactly: index), results.indices.contains(position) else {
            throw .contractBroken("The index \(index) of a row is out of range.", subject: "\(name)")
        }
        guard results[position] == nil else {
            throw .contractBroken("The row with index \(index) was sent twice.", subject: "\(name)")
        }
        results[position] = result(position)
        missing -= 1
        return position
    }

    /// All results in the order of their inputs.
    ///
    /// - Throws: `contractBroken` if one is missing.
    func complete() throws(OverlayError) -> [Result<Value, OverlayError>] {
        let complete = results.compactMap { $0 }
        guard missing == 0, complete.count == results.count else {
            throw .contractBroken("\(missing) rows of \(results.count) are missing.", subject: "\(name)")
        }
        return complete
    }
}
