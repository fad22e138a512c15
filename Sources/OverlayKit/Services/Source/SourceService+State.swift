import OverlayABI
import OverlayBridge

extension SourceService {
    /// The overlay's value for a key in this folder, device and app; nil if there is none.
    ///
    /// Keys and limits are those of ``StorageService``.
    public func state(_ key: String) throws(OverlayError) -> [UInt8]? {
        let arena = Arena()
        var key = arena.text(key)
        var value: [UInt8] = []
        do throws(OverlayError) {
            try ChunkedRead.receive { (chunk, _, _) throws(OverlayError) in
                value.append(contentsOf: chunk)
            } _: { (sink) throws(OverlayError) in
                try ServiceCall.perform(table.state_get, "source.state_get") {
                    $0(table.ctx, &key, sink, $1)
                }
            }
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
        return withExtendedLifetime(arena) { value }
    }

    /// Stores a value in place of the previous one, completely or not at all. It survives a power failure, and is
    /// kept until it is removed.
    public func setState(_ key: String, _ value: [UInt8]) throws(OverlayError) {
        let arena = Arena()
        var key = arena.text(key)
        try ServiceCall.perform(table.state_put, "source.state_put") { put, error in
            Self.withBytes(value, arena) { put(table.ctx, &key, $0, error) }
        }
        withExtendedLifetime(arena) {}
    }

    /// Removes a key and its value. A missing key is not an error.
    public func removeState(_ key: String) throws(OverlayError) {
        let arena = Arena()
        var key = arena.text(key)
        try ServiceCall.perform(table.state_remove, "source.state_remove") { $0(table.ctx, &key, $1) }
        withExtendedLifetime(arena) {}
    }

    /// The keys, sorted by their bytes.
    public func stateKeys() throws(OverlayError) -> [String] {
        let receiver = RowReceiver<String>()
        var sink = receiver.textSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.state_keys, "source.state_keys") { $0(table.ctx, &sink, $1) }
        }
        return receiver.rows
    }
}
