/// The files of one root on a device.
///
/// Methods block, and any number of threads may call them at once (not on Swift's concurrency pool). Work is spread
/// over several connections with several requests under way on each; further connections are opened when a batch is
/// worth them and kept. A connection that failed or owes an answer is replaced by the next call that needs one.
///
/// Paths start at the root (`/Documents/a.epub`); the leading `/` may be left out. `..`, empty paths, NUL and more than
/// 1,023 bytes are `.invalidArgument`. Every error names the path it is about. A batch never throws: each item has its own
/// result, and what was finished before a cancel, a deadline or an unplugged cable stays a success.
public final class DeviceFiles: Sendable {
    /// The root.
    public let root: DeviceRoot

    init(root: DeviceRoot, session: DeviceSession, first: ServiceConnection) { self.root = root }

    /// What has been spent so far, over all calls.
    public var counters: TransferCounters { TransferCounters() }

    /// Ends all connections; calls under way fail. Later calls open new ones.
    public func close() {}
}

extension DeviceFiles {
    /// The names in a folder, without `.` and `..`, as the device orders them. One request.
    public func list(_ folder: String, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> [String]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The names of many folders, in the order asked.
    public func listMany(_ folders: [String], _ context: OperationContext = OperationContext())
        -> [ItemResult<[String]>]
    {
        folders.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }

    /// The entries of a folder with their status: one request, and one per entry, overlapping.
    /// Entries that vanish meanwhile are left out.
    public func entries(_ folder: String, _ context: OperationContext = OperationContext())
        throws(TransportError) -> [FolderEntry]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The status of a file or folder; `.notFound` when there is none. One request.
    public func stat(_ path: String, _ context: OperationContext = OperationContext()) throws(TransportError)
        -> FileStatus
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Whether there is something of that name. One request.
    public func exists(_ path: String, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> Bool
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The status of many, in the order asked.
    public func statMany(_ paths: [String], _ context: OperationContext = OperationContext()) -> [ItemResult<
        FileStatus
    >] {
        paths.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }

    /// How full the device is. One request.
    public func space(_ context: OperationContext = OperationContext()) throws(TransportError) -> StorageSpace
    {
        throw TransportError(.notSupported, "not built yet")
    }
}

extension DeviceFiles {
    /// A part of a file; shorter than `range` only where the file ends.
    public func read(
        _ path: String, range: Range<UInt64>, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> [UInt8] {
        throw TransportError(.notSupported, "not built yet")
    }

    /// A whole file, at most `limit` bytes (else `.tooLarge`); never less than the device says it has.
    public func readWhole(
        _ path: String, limit: Int = 256 << 20, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> [UInt8] {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Hands a file, or a part of it, to `sink` piece by piece, in order, on the calling thread.
    ///
    /// The bytes are valid only during the call. An error that `sink` throws ends the reading and is passed on.
    /// Returns the number of bytes delivered.
    @discardableResult
    public func readChunks(
        _ path: String, range: Range<UInt64>? = nil, _ context: OperationContext = OperationContext(),
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> UInt64 {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Many files, or parts of files, in the order asked.
    public func readMany(_ requests: [ReadRequest], _ context: OperationContext = OperationContext())
        -> [ItemResult<[UInt8]>]
    {
        requests.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }

    /// Many files, or parts of files; each is handed over on the calling thread as soon as it is complete, in any
    /// order, with its place in `requests`.
    public func readMany(
        _ requests: [ReadRequest], _ context: OperationContext = OperationContext(),
        each: (Int, ItemResult<[UInt8]>) -> Void
    ) {
        for index in requests.indices {
            each(index, .failure(TransportError(.notSupported, "not built yet")))
        }
    }

    /// Fetches one file to this computer.
    @discardableResult
    public func pull(_ request: PullRequest, _ context: OperationContext = OperationContext())
        throws(TransportError) -> FileStatus
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Fetches many files to this computer. The results are in the order asked; `each` hears each as it is done.
    public func pullMany(
        _ requests: [PullRequest], _ context: OperationContext = OperationContext(),
        each: (Int, ItemResult<FileStatus>) -> Void = { _, _ in }
    ) -> [ItemResult<FileStatus>] {
        requests.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }
}

extension DeviceFiles {
    /// Writes a file, carefully (see `WriteOptions`). Returns its status on the device.
    @discardableResult
    public func write(
        _ source: UploadSource, to path: String, options: WriteOptions = WriteOptions(),
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> FileStatus {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Writes many files, carefully. The results are in the order asked; `each` hears each as it is done.
    public func pushMany(
        _ requests: [PushRequest], _ context: OperationContext = OperationContext(),
        each: (Int, ItemResult<FileStatus>) -> Void = { _, _ in }
    ) -> [ItemResult<FileStatus>] {
        requests.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }

    /// Gives a file or folder a new name or place in the same root.
    ///
    /// Unless it `replaces`, an existing target is left alone and the call fails with `.exists`.
    public func rename(
        _ path: String, to newPath: String, replaces: Bool = false,
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Removes a file, or a folder. A folder that has entries is `.folderNotEmpty` unless `recursive`.
    public func remove(
        _ path: String, recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Removes many, as `remove` does; results in the order asked.
    public func removeMany(
        _ paths: [String], recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) -> [ItemResult<Void>] {
        paths.map { _ in .failure(TransportError(.notSupported, "not built yet")) }
    }

    /// Makes a folder, with those above it when `intermediate`; an existing folder is fine.
    public func makeFolder(
        _ path: String, intermediate: Bool = true, _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        throw TransportError(.notSupported, "not built yet")
    }
}
