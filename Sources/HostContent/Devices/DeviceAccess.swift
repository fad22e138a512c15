import DeviceTransport

/// A device as the host uses it: what `DeviceSession` offers, so that the logic above can be tried without one.
package protocol DeviceAccess: Sendable {
    /// The device.
    var device: DeviceDescription { get }
    /// Whether it was unplugged.
    var isGone: Bool { get }
    /// Calls a handler once when it is unplugged, as long as what is returned is kept.
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?
    /// What it says about itself.
    func information(_ context: OperationContext) throws(TransportError) -> DeviceInformation
    /// The same, for a caller that asks for apps and their files next: what that needs may be made ready meanwhile.
    func information(readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> DeviceInformation
    /// Whether it trusts this computer.
    func pairing(_ context: OperationContext) throws(TransportError) -> PairingState
    /// Makes it ask its owner whether to trust this computer, and tells how that stands.
    func askForTrust(_ context: OperationContext) throws(TransportError) -> PairingState
    /// The named apps that are on it.
    func apps(bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [String:
        InstalledApp]
    /// The same, for a caller that asks for the files of one of them next: what that needs may be made ready meanwhile.
    func apps(bundleIDs: [String], readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> [String: InstalledApp]
    /// All apps that are on it.
    func apps(includingSystem: Bool, _ context: OperationContext) throws(TransportError) -> [InstalledApp]
    /// What it grants for an app.
    func roots(for bundleID: String, _ context: OperationContext) throws(TransportError) -> GrantedRoots
    /// The roots of a few apps at once, in order.
    func roots(for bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [GrantedRoots]
    /// Opens one root.
    func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError) -> any FileAccess
    /// Waits, unless cancelled, late, or unplugged.
    func wait(for duration: Duration, _ context: OperationContext) throws(TransportError)
    /// Gives up connections.
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

/// The files of one root as the host uses them: what `DeviceFiles` offers.
package protocol FileAccess: Sendable {
    /// Whether ``listMany(_:keeping:_:)`` takes no longer than one listing.
    var overlapsListings: Bool { get }
    func list(_ folder: String, _ context: OperationContext) throws(TransportError) -> [String]
    /// The names in many folders; of answers about others than the first no more than `most` bytes are kept.
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
    /// One listing after the other.
    package var overlapsListings: Bool { false }

    /// The names in many folders, in the order asked.
    package func listMany(
        _ folders: [String], keeping most: Int, _ context: OperationContext
    ) -> [Result<[String], TransportError>] {
        folders.map { folder in
            Result { () throws(TransportError) in try list(folder, context) }
        }
    }
}

extension DeviceSession: DeviceAccess {
    /// Opens one root.
    package func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError)
        -> any FileAccess
    {
        try open(root, context)
    }
}

extension DeviceFiles: FileAccess {
    /// All are asked for at once.
    package var overlapsListings: Bool { true }

    /// Hands a file, or a part of it, on piece by piece.
    package func read(
        _ path: String, range: Range<UInt64>?, _ context: OperationContext,
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        try readChunks(path, range: range, context, sink: sink)
    }

    /// Writes a whole file.
    package func write(_ bytes: [UInt8], to path: String, options: WriteOptions, _ context: OperationContext)
        throws(TransportError)
    {
        try write(.bytes(bytes), to: path, options: options, context)
    }
}
