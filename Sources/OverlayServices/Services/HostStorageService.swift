import OverlayBridge
import HostContract
import HostErrors
import OverlayABI

final class HostStorageService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service that stores small files of the overlay on the host.
    var table: ovl_storage_service {
        var table = ovl_storage_service.sized()
        table.ctx = pointer
        table.get = { context, area, key, sink, error in
            HostStorageService.serve(context, "storage.get", error) { service throws(HostError) in
                let (area, key) = try service.entry("storage.get", area, key)
                try service.put(
                    try service.context.storage.read(area, key), into: try service.sink("storage.get", sink))
            }
        }
        table.put = { context, area, key, value, error in
            HostStorageService.serve(context, "storage.put", error) { service throws(HostError) in
                let (area, key) = try service.entry("storage.put", area, key)
                try service.store(value, area, key)
            }
        }
        table.remove = { context, area, key, error in
            HostStorageService.serve(context, "storage.remove", error) { service throws(HostError) in
                let (area, key) = try service.entry("storage.remove", area, key)
                try service.context.storage.remove(area, key)
            }
        }
        table.keys = { context, area, sink, error in
            HostStorageService.serve(context, "storage.keys", error) { service throws(HostError) in
                try service.requireMethod("storage.keys")
                let keys = try service.context.storage.keys(try HostStorageService.area(area))
                try service.put(keys, "storage.keys", into: sink)
            }
        }
        return table
    }

    private static func area(_ number: UInt32) throws(HostError) -> OverlayStorage.Area {
        switch number {
        case OVL_STORAGE_CACHE: return .cache
        case OVL_STORAGE_DATA: return .data
        default: throw HostError(.invalidArgument, "No storage area has the number \(number).")
        }
    }

    private func entry(_ name: StaticString, _ area: UInt32, _ key: UnsafePointer<ovl_text>)
        throws(HostError) -> (OverlayStorage.Area, String)
    {
        try requireMethod(name)
        return (try Self.area(area), try self.key(name, key))
    }

    private func store(_ value: UnsafePointer<ovl_bytes>, _ area: OverlayStorage.Area, _ key: String)
        throws(HostError)
    {
        let bytes = try argument("storage.put") { () throws(ContractBreach) in
            guard UInt(bitPattern: value) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_bytes.")
            }
            return try value.pointee.borrowed("value", limit: Int.max)
        }
        guard let bytes else { throw HostError(.invalidArgument, "The value is missing.", subject: key) }
        guard bytes.count <= OverlayStorage.largestValue else {
            throw HostError(
                .invalidArgument, "A value can have at most \(OverlayStorage.largestValue) bytes.",
                subject: key)
        }
        try context.storage.write(area, key, bytes)
    }
}

extension HostService {
    /// Reads a key of the storage or of a state.
    func key(_ name: StaticString, _ key: UnsafePointer<ovl_text>) throws(HostError) -> String {
        let key = try text(name, key, limit: BoundaryLimits.path)
        guard OverlayStorage.isKey(key) else {
            throw HostError(
                .invalidArgument,
                "A key begins with a letter or digit, contains only letters, digits, \".\", \"_\" and \"-\", and has at most \(OverlayStorage.longestKey) bytes.",
                subject: key)
        }
        return key
    }

    /// Passes a stored value to a sink of the overlay.
    func put(_ value: borrowing StoredValue, into sink: ovl_bytes_sink) throws(HostError) {
        guard let put = sink.put else { return }
        let size = value.size
        try value.forEachPiece { piece, offset throws(HostError) in
            if context.shouldStop { try checkRunning() }
            let status = piece.lend { put(sink.ctx, $0, offset, size) }
            guard status == OVL_OK else { throw HostError.receiverStopped }
        }
    }
}
