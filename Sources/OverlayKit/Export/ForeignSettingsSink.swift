import OverlayABI

/// The host's receiver of the one record of `settings`.
final class ForeignSettingsSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_settings>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_settings_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ settings: OverlaySettings) throws(OverlayError) {
        try checkOpen()
        var record = settings.record(in: arena)
        try answered(function(context, &record))
    }
}
