import OverlayABI

/// The host's receiver of the bytes of a file.
final class ForeignBytesSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_bytes>, UInt64, UInt64) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_bytes_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ chunk: UnsafeRawBufferPointer, offset: UInt64, total: UInt64?) throws(OverlayError) {
        try checkOpen()
        // Bytes without an address are empty, not absent.
        let address = chunk.baseAddress ?? UnsafeRawPointer(arena.allocate(0))
        var view = ovl_bytes(data: address.assumingMemoryBound(to: UInt8.self), size: UInt64(chunk.count))
        try answered(function(context, &view, offset, total ?? .max))
    }
}
