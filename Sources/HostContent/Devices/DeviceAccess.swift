import DeviceTransport

/// The operations on a device that the host uses, which `DeviceSession` implements. Allows tests without a device.
package protocol DeviceAccess: Sendable {
    /// The description of the device.
    var device: DeviceDescription { get }
    /// Whether the device was unplugged.
    var isGone: Bool { get }
    /// Calls a handler once when the device is unplugged, as long as the result is kept.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?
    /// The information of the device.
    func information(_ context: OperationContext) throws(TransportError) -> DeviceInformation
    /// The information of the device, for a caller that uses apps and their files next. Connections for this may be
    /// prepared at the same time.
    func information(readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> DeviceInformation
    /// Whether the device trusts this computer.
    func pairing(_ context: OperationContext) throws(TransportError) -> PairingState
    /// Lets the device ask its owner whether to trust this computer, and returns the state.
    func askForTrust(_ context: OperationContext) throws(TransportError) -> PairingState
    /// The apps on the device with these bundle identifiers.
    func apps(bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [String:
        InstalledApp]
    /// The apps on the device with these bundle identifiers, for a caller that uses the files of one of them next.
    /// Connections for this may be prepared at the same time.
    func apps(bundleIDs: [String], readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> [String: InstalledApp]
    /// All apps on the device.
    func apps(includingSystem: Bool, _ context: OperationContext) throws(TransportError) -> [InstalledApp]
    /// The access that the device grants to an app.
    func roots(for bundleID: String, _ context: OperationContext) throws(TransportError) -> GrantedRoots
    /// The access that the device grants to several apps, in order.
    func roots(for bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [GrantedRoots]
    /// Opens a root.
    func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError) -> any FileAccess
    /// Waits for a time. Throws if the call is cancelled, late, or the device is unplugged.
    func wait(for duration: Duration, _ context: OperationContext) throws(TransportError)
    /// Closes the connections.
    func close()
}

extension DeviceAccess {
    package func information(readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> DeviceInformation
    {
        try information(context)
    }

    package func apps(bundleIDs: [String], readyingFiles: Bool, _ context: OperationContext)
        throws(TransportError) -> [String: InstalledApp]
    {
        try apps(bundleIDs: bundleIDs, context)
    }

    package func roots(for bundleIDs: [String], _ context: OperationContext) throws(TransportError)
        -> [GrantedRoots]
    {
        try bundleIDs.map { id throws(TransportError) in try roots(for: id, context) }
    }
}

/// The operations on the files of a root that the host uses, which `DeviceFiles` implements.
package protocol FileAccess: Sendable {
    /// Whether ``listMany(_:keeping:_:)`` takes as long as one listing.
    var overlapsListings: Bool { get }
    func list(_ folder: String, _ context: OperationContext) throws(TransportError) -> [String]
    /// The names in many folders. Keeps at most `most` bytes of the answers, except for the first folder.
    func listMany(_ folders: [String], keeping most: Int, _ context: OperationContext)
        -> [Result<[String], TransportError>]
    func entries(_ folder: String, _ context: OperationContext) throws(TransportError) -> [FolderEntry]
    func statMany(_ paths: [String], _ context: OperationContext) -> [Result<FileStatus, TransportError>]
    func space(_ context: OperationContext) throws(TransportError) -> StorageSpace
    func read(
        _ path: String, range: Range<UInt64>?, _ context: OperationContext,
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void) throws(TransportError)
    func readMany(
        _ requests: [FileReadRequest], _ context: OperationContext,
        each: (Int, Result<[UInt8], TransportError>) -> Void)
    func readEnds(_ paths: [String], head: Int, tail: Int, _ context: OperationContext)
        -> [Result<FileEnds, TransportError>]
    func pullMany(
        _ requests: [PullRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>]
    func pushMany(
        _ requests: [PushRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>]
    func write(_ bytes: [UInt8], to path: String, options: WriteOptions, _ context: OperationContext)
        throws(TransportError)
    func rename(_ path: String, to newPath: String, replaces: Bool, _ context: OperationContext)
        throws(TransportError)
    func remove(_ path: String, recursive: Bool, _ context: OperationContext) throws(TransportError)
    func makeFolder(_ path: String, intermediate: Bool, _ context: OperationContext) throws(TransportError)
    func close()
}

extension FileAccess {
    /// False, because folders are listed one after the other.
    package var overlapsListings: Bool { false }

    /// The names in many folders, in order.
    package func listMany(
        _ folders: [String], keeping most: Int, _ context: OperationContext
    ) -> [Result<[String], TransportError>] {
        folders.map { folder in
            Result { () throws(TransportError) in try list(folder, context) }
        }
    }
}

extension DeviceSession: DeviceAccess {
    /// Opens a root.
    package func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError)
        -> any FileAccess
    {
        try open(root, context)
    }
}

extension DeviceFiles: FileAccess {
    /// True, because all folders are requested at the same time.
    package var overlapsListings: Bool { true }

    /// Passes a file, or a part of it, to `sink` in pieces.
    package func read(
        _ path: String, range: Range<UInt64>?, _ context: OperationContext,
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        try readChunks(path, range: range, context, sink: sink)
    }

    /// Writes a complete file.
    package func write(_ bytes: [UInt8], to path: String, options: WriteOptions, _ context: OperationContext)
        throws(TransportError)
    {
        try write(.bytes(bytes), to: path, options: options, context)
    }
}
