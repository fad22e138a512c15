import DeviceTransport
import OverlayHost

/// The files of a `FaultyDevice`. Each item of a batch counts as one request.
struct FaultyFiles: FileAccess {
    private let base: any FileAccess
    private let faults: DeviceFaults

    init(_ base: any FileAccess, _ faults: DeviceFaults) {
        self.base = base
        self.faults = faults
    }

    func list(_ folder: String, _ context: OperationContext) throws(TransportError) -> [String] {
        try faults.pass()
        return try base.list(folder, context)
    }

    var overlapsListings: Bool { base.overlapsListings }

    func listMany(_ folders: [String], keeping most: Int, _ context: OperationContext)
        -> [Result<[String], TransportError>]
    {
        batch(folders) { base.listMany($0, keeping: most, context) }
    }

    func entries(_ folder: String, _ context: OperationContext) throws(TransportError) -> [FolderEntry] {
        try faults.pass()
        return try base.entries(folder, context)
    }

    func statMany(_ paths: [String], _ context: OperationContext) -> [Result<FileStatus, TransportError>] {
        batch(paths) { base.statMany($0, context) }
    }

    func space(_ context: OperationContext) throws(TransportError) -> StorageSpace {
        try faults.pass()
        return try base.space(context)
    }

    func read(
        _ path: String, range: Range<UInt64>?, _ context: OperationContext,
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        try faults.pass()
        try base.read(path, range: range, context, sink: sink)
    }

    func readMany(
        _ requests: [FileReadRequest], _ context: OperationContext,
        each: (Int, Result<[UInt8], TransportError>) -> Void
    ) {
        let (passed, failed) = pass(requests.count)
        base.readMany(passed.map { requests[$0] }, context) { each(passed[$0], $1) }
        for (index, error) in failed { each(index, .failure(error)) }
    }

    func readEnds(_ paths: [String], head: Int, tail: Int, _ context: OperationContext)
        -> [Result<FileEnds, TransportError>]
    {
        batch(paths) { base.readEnds($0, head: head, tail: tail, context) }
    }

    func pullMany(
        _ requests: [PullRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>] {
        let (passed, failed) = pass(requests.count)
        let values =
            passed.isEmpty ? [] : base.pullMany(passed.map { requests[$0] }, context) { each(passed[$0], $1) }
        for (index, error) in failed { each(index, .failure(error)) }
        return merged(requests.count, passed, values, failed)
    }

    func pushMany(
        _ requests: [PushRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>] {
        let (passed, failed) = pass(requests.count, writes: true)
        let values =
            passed.isEmpty ? [] : base.pushMany(passed.map { requests[$0] }, context) { each(passed[$0], $1) }
        for (index, error) in failed { each(index, .failure(error)) }
        return merged(requests.count, passed, values, failed)
    }

    func write(_ bytes: [UInt8], to path: String, options: WriteOptions, _ context: OperationContext)
        throws(TransportError)
    {
        try faults.pass(writes: true)
        try base.write(bytes, to: path, options: options, context)
    }

    func rename(_ path: String, to newPath: String, replaces: Bool, _ context: OperationContext)
        throws(TransportError)
    {
        try faults.pass()
        try base.rename(path, to: newPath, replaces: replaces, context)
    }

    func remove(_ path: String, recursive: Bool, _ context: OperationContext) throws(TransportError) {
        try faults.pass()
        try base.remove(path, recursive: recursive, context)
    }

    func makeFolder(_ path: String, intermediate: Bool, _ context: OperationContext) throws(TransportError) {
        try faults.pass(writes: true)
        try base.makeFolder(path, intermediate: intermediate, context)
    }

    /// Does nothing: the device keeps its connections.
    func close() {}

    // MARK: batches

    private func pass(_ count: Int, writes: Bool = false) -> (
        passed: [Int], failed: [(Int, TransportError)]
    ) {
        var passed: [Int] = []
        var failed: [(Int, TransportError)] = []
        for index in 0..<count {
            do throws(TransportError) {
                try faults.pass(writes: writes)
                passed.append(index)
            } catch {
                failed.append((index, error))
            }
        }
        return (passed, failed)
    }

    private func batch<Item, Value>(
        _ items: [Item], _ run: ([Item]) -> [Result<Value, TransportError>]
    ) -> [Result<Value, TransportError>] {
        let (passed, failed) = pass(items.count)
        let values = passed.isEmpty ? [] : run(passed.map { items[$0] })
        return merged(items.count, passed, values, failed)
    }

    private func merged<Value>(
        _ count: Int, _ passed: [Int], _ values: [Result<Value, TransportError>],
        _ failed: [(Int, TransportError)]
    ) -> [Result<Value, TransportError>] {
        var results: [Result<Value, TransportError>] = Array(
            repeating: .failure(DeviceFaults.gone), count: count)
        for (index, value) in zip(passed, values) { results[index] = value }
        for (index, error) in failed { results[index] = .failure(error) }
        return results
    }
}
