import OverlayABI

/// The host's receiver of item rows.
final class ForeignResultSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_item_result>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_result_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ result: ItemResult) throws(OverlayError) {
        try checkOpen()
        var record = try result.record(in: arena)
        try answered(function(context, &record))
    }
}
