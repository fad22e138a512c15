import OverlayABI

/// The host's receiver of the one answer of `can_handle`.
final class ForeignPresenceSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_presence>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_presence_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ presence: Presence) throws(OverlayError) {
        try checkOpen()
        var record = presence.record(in: arena)
        try answered(function(context, &record))
    }
}
