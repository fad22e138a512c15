import OverlayABI
import OverlayBridge

/// The host's name and services for an overlay.
///
/// Valid from the overlay's initializer until the instance is destroyed. A function that is missing in this host
/// throws `notSupported`, except that the log and the progress do nothing.
///
/// ```swift
/// host.log.debug("overlay", "Running in \(host.name) \(host.version).")
/// let model = try host.transport.device().model
/// ```
public struct HostServices {
    /// The name of the host program, for logs.
    public let name: String
    /// The version of the host program, for logs.
    public let version: String
    /// The major version of the contract with which the host was built.
    public let abiMajor: UInt32
    /// The minor version of the contract with which the host was built. For information only.
    public let abiMinor: UInt32
    /// The log. [any thread]
    public let log: LogService
    /// The preferences that the overlay may read. [any thread]
    public let prefs: PrefsService
    /// The progress of the running method. [device thread]
    public let progress: ProgressService
    /// Cancellation and deadline of the running method. [any thread, except waiting]
    public let cancellation: CancelService
    /// The device's files. [device thread]
    public let transport: TransportService
    /// Formats of files. [device thread]
    public let sniff: SniffService
    /// Parts of publications. [device thread]
    public let fetch: FetchService
    /// The metadata in book files. [device thread]
    public let metadata: MetadataService
    /// Small files of the overlay on the host. [device thread]
    public let storage: StorageService
    /// Names with which programs that use the same device take turns. [device thread]
    public let calls: CallsService
    /// The folder that the user wants to sync. [device thread, during `syncSource`]
    public let source: SourceService

    /// Looks up the services of a host.
    ///
    /// - Throws: `contractBroken` if the host's name is not UTF-8 or a table has an impossible size.
    package init(_ host: ovl_host) throws(OverlayError) {
        name = try host.name.string("host.name") ?? ""
        version = try host.version.string("host.version") ?? ""
        abiMajor = host.abi_major
        abiMinor = host.abi_minor
        log = LogService(try Self.service(OVL_SERVICE_LOG, of: host))
        prefs = PrefsService(try Self.service(OVL_SERVICE_PREFS, of: host))
        progress = ProgressService(try Self.service(OVL_SERVICE_PROGRESS, of: host))
        cancellation = CancelService(try Self.service(OVL_SERVICE_CANCEL, of: host))
        transport = TransportService(try Self.service(OVL_SERVICE_TRANSPORT, of: host))
        sniff = SniffService(try Self.service(OVL_SERVICE_SNIFF, of: host))
        fetch = FetchService(try Self.service(OVL_SERVICE_FETCH, of: host))
        metadata = MetadataService(try Self.service(OVL_SERVICE_METADATA, of: host))
        storage = StorageService(try Self.service(OVL_SERVICE_STORAGE, of: host))
        calls = CallsService(try Self.service(OVL_SERVICE_CALLS, of: host))
        source = SourceService(try Self.service(OVL_SERVICE_SOURCE, of: host))
    }

    /// A copy of a service's table, zero after the end of the host's table. All zero if the host does not have the
    /// service.
    private static func service<Table: ABIRecord>(
        _ id: String, of host: ovl_host
    ) throws(OverlayError) -> Table {
        guard let getService = host.get_service else { return Table() }
        // The size of a table determines which functions it contains, so require only the fields that every table
        // has.
        let smallest = UInt32(MemoryLayout<UInt64>.size + MemoryLayout<UnsafeRawPointer>.size)
        let arena = Arena()
        var view = arena.text(id)
        let table = withExtendedLifetime(arena) { getService(host.ctx, &view, smallest) }
        guard let table else { return Table() }
        return try Table.copy(from: table)
    }
}
