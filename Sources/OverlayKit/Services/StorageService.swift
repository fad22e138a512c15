import OverlayABI
import OverlayBridge

/// A kind of small files: `OVL_STORAGE_…`. An open set.
///
/// ```swift
/// try host.storage.write(.data, "edits", Array("Emma".utf8))
/// for key in try host.storage.keys(.cache) { try host.storage.remove(.cache, key) }
/// ```
public struct StorageArea: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates an area from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Data that can be recreated. It may disappear at any time.
    public static let cache = StorageArea(rawValue: OVL_STORAGE_CACHE)
    /// Data that cannot be recreated, such as a user's edits.
    public static let data = StorageArea(rawValue: OVL_STORAGE_DATA)
}

/// Small files of the overlay on the host, separate for each overlay, device and app. The Swift form of
/// `ovl_storage_service`. All functions: [device thread], also in pure methods.
///
/// A key is `[A-Za-z0-9][A-Za-z0-9._-]*` with at most 128 bytes; a value has at most 256 MiB. Each function throws
/// `invalidArgument` beyond these limits, `hostIO` if the host cannot read or write, and `notSupported` if the host
/// has no storage. The overlay must then work without it.
///
/// ```swift
/// try host.storage.write(.cache, "titles", Array("Emma".utf8))
/// let titles = try host.storage.read(.cache, "titles")
/// ```
public struct StorageService {
    private let table: ovl_storage_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_storage_service) { self.table = table }

    /// The value of a key; nil if there is none.
    public func read(_ area: StorageArea, _ key: String) throws(OverlayError) -> [UInt8]? {
        let arena = Arena()
        var key = arena.text(key)
        var value: [UInt8] = []
        do throws(OverlayError) {
            try ChunkedRead.receive { (chunk, _, total) throws(OverlayError) in
                if value.isEmpty, let total {
                    value.reserveCapacity(Int(clamping: min(total, Self.valueLimit)))
                }
                value.append(contentsOf: chunk)
            } _: { (sink) throws(OverlayError) in
                try ServiceCall.perform(table.get, "storage.get") {
                    $0(table.ctx, area.rawValue, &key, sink, $1)
                }
            }
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
        return withExtendedLifetime(arena) { value }
    }

    /// Stores a value in place of the previous one, completely or not at all.
    public func write(_ area: StorageArea, _ key: String, _ value: [UInt8]) throws(OverlayError) {
        let arena = Arena()
        var key = arena.text(key)
        try ServiceCall.perform(table.put, "storage.put") { put, error in
            value.withUnsafeBufferPointer { buffer in
                // A null address would mean absent bytes, so use another address for empty bytes.
                let empty = UnsafePointer(arena.allocate(0).assumingMemoryBound(to: UInt8.self))
                var view = ovl_bytes(data: buffer.baseAddress ?? empty, size: UInt64(buffer.count))
                return put(table.ctx, area.rawValue, &key, &view, error)
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Removes a key and its value. A missing key is not an error.
    public func remove(_ area: StorageArea, _ key: String) throws(OverlayError) {
        let arena = Arena()
        var key = arena.text(key)
        try ServiceCall.perform(table.remove, "storage.remove") { $0(table.ctx, area.rawValue, &key, $1) }
        withExtendedLifetime(arena) {}
    }

    /// The keys of an area, sorted by their bytes.
    public func keys(_ area: StorageArea) throws(OverlayError) -> [String] {
        let receiver = RowReceiver<String>()
        var sink = receiver.textSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.keys, "storage.keys") { $0(table.ctx, area.rawValue, &sink, $1) }
        }
        return receiver.rows
    }

    /// The value of `OVL_STORAGE_VALUE_LIMIT`, which Swift does not import with its type.
    private static let valueLimit: UInt64 = 256 << 20
}
