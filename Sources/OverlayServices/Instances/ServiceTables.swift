import HostContract
import OverlayABI
import OverlayBridge
import Synchronization

/// The host record and the service tables of an instance. Their addresses are valid as long as this object.
///
/// Unchecked: the memory is written once, before an overlay can access it.
final class ServiceTables: @unchecked Sendable {
    /// The record for `create`.
    let host: UnsafePointer<ovl_host>
    private let log: UnsafeMutablePointer<ovl_log_service>
    private let prefs: UnsafeMutablePointer<ovl_prefs_service>
    private let progress: UnsafeMutablePointer<ovl_progress_service>
    private let cancel: UnsafeMutablePointer<ovl_cancel_service>
    private let transport: UnsafeMutablePointer<ovl_transport_service>
    private let sniff: UnsafeMutablePointer<ovl_sniff_service>
    private let fetch: UnsafeMutablePointer<ovl_fetch_service>
    private let metadata: UnsafeMutablePointer<ovl_metadata_service>
    private let storage: UnsafeMutablePointer<ovl_storage_service>
    private let calls: UnsafeMutablePointer<ovl_calls_service>
    private let source: UnsafeMutablePointer<ovl_source_service>
    private let hostRecord: UnsafeMutablePointer<ovl_host>
    /// The implementations of the tables.
    private let services: [any HostService]
    private let memory = Arena()
    private let observer: (any BoundaryObserver)?
    /// Shortened copies of tables for an observer.
    private let shortened = Mutex<[Shortened]>([])

    /// Unchecked: the memory is written once, and freed with its owner.
    private struct Shortened: @unchecked Sendable {
        let table: UnsafeMutableRawPointer
    }

    init(_ context: InstanceContext) {
        observer = context.environment.observer
        let logService = HostLogService(context)
        let prefsService = HostPrefsService(context)
        let progressService = HostProgressService(context)
        let cancelService = HostCancelService(context)
        let transportService = HostTransportService(context)
        let sniffService = HostSniffService(context)
        let fetchService = HostFetchService(context)
        let metadataService = HostMetadataService(context)
        let storageService = HostStorageService(context)
        let callsService = HostCallsService(context)
        let sourceService = HostSourceService(context)
        services = [
            logService, prefsService, progressService, cancelService, transportService,
            sniffService, fetchService, metadataService, storageService, callsService,
            sourceService,
        ]
        log = Self.place(logService.table)
        prefs = Self.place(prefsService.table)
        progress = Self.place(progressService.table)
        cancel = Self.place(cancelService.table)
        transport = Self.place(transportService.table)
        sniff = Self.place(sniffService.table)
        fetch = Self.place(fetchService.table)
        metadata = Self.place(metadataService.table)
        storage = Self.place(storageService.table)
        calls = Self.place(callsService.table)
        source = Self.place(sourceService.table)
        var record = ovl_host.sized()
        record.abi_major = OVL_ABI_MAJOR
        record.abi_minor = OVL_ABI_MINOR
        record.name = memory.text("overlayhost")
        record.version = memory.text(OverlayHostVersion.text)
        record.get_service = { context, id, minimumSize in
            guard let context else { return nil }
            let services = Unmanaged<ServiceTables>.fromOpaque(context).takeUnretainedValue()
            return services.table(id, minimumSize)
        }
        hostRecord = Self.place(record)
        host = UnsafePointer(hostRecord)
        hostRecord.pointee.ctx = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        log.deallocate()
        prefs.deallocate()
        progress.deallocate()
        cancel.deallocate()
        transport.deallocate()
        sniff.deallocate()
        fetch.deallocate()
        metadata.deallocate()
        storage.deallocate()
        calls.deallocate()
        source.deallocate()
        hostRecord.deallocate()
        for one in shortened.withLock({ $0 }) { one.table.deallocate() }
    }

    private static func place<Table>(_ table: Table) -> UnsafeMutablePointer<Table> {
        let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        pointer.initialize(to: table)
        return pointer
    }

    /// The table of the service with exactly this id, if it is at least as large as the overlay requires.
    private func table(_ id: UnsafePointer<ovl_text>, _ minimumSize: UInt32) -> UnsafeRawPointer? {
        guard UInt(bitPattern: id) != 0, let text = id.pointee.repaired(limit: 256) else {
            return nil
        }
        let offered = observer?.offers(text, minimumSize) ?? .max
        guard offered >= minimumSize else { return nil }
        // Compare bytes, because Swift's == would also accept other encodings of the same characters.
        func isAsked(_ service: String) -> Bool {
            text.utf8.elementsEqual(service.utf8) && id.pointee.size <= 256
        }
        func sized<Table: ABIRecord>(_ table: UnsafeMutablePointer<Table>) -> UnsafeRawPointer? {
            let size = table.pointee.struct_size
            guard minimumSize <= size else { return nil }
            return offered < size ? beginning(of: table, offered, of: size) : UnsafeRawPointer(table)
        }
        if isAsked(OVL_SERVICE_LOG) { return sized(log) }
        if isAsked(OVL_SERVICE_PREFS) { return sized(prefs) }
        if isAsked(OVL_SERVICE_PROGRESS) { return sized(progress) }
        if isAsked(OVL_SERVICE_CANCEL) { return sized(cancel) }
        if isAsked(OVL_SERVICE_TRANSPORT) { return sized(transport) }
        if isAsked(OVL_SERVICE_SNIFF) { return sized(sniff) }
        if isAsked(OVL_SERVICE_FETCH) { return sized(fetch) }
        if isAsked(OVL_SERVICE_METADATA) { return sized(metadata) }
        if isAsked(OVL_SERVICE_STORAGE) { return sized(storage) }
        if isAsked(OVL_SERVICE_CALLS) { return sized(calls) }
        if isAsked(OVL_SERVICE_SOURCE) { return sized(source) }
        return nil
    }

    /// A copy of a table with the size of a smaller host. It contains at least the first function, and only complete
    /// functions.
    private func beginning(
        of table: UnsafeMutableRawPointer, _ offered: UInt32, of size: UInt32
    ) -> UnsafeRawPointer {
        let copied = max(24, offered & ~7)
        let copy = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 8)
        copy.initializeMemory(as: UInt8.self, repeating: 0, count: Int(size))
        copy.copyMemory(from: table, byteCount: Int(copied))
        copy.storeBytes(of: copied, as: UInt32.self)
        let one = Shortened(table: copy)
        shortened.withLock { $0.append(one) }
        return UnsafeRawPointer(one.table)
    }
}
