import OverlayABI

/// The host's receiver of booklist edits.
final class ForeignEditSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_booklist_edit>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_edit_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ edit: BooklistEdit) throws(OverlayError) {
        try checkOpen()
        var record = try edit.record(in: arena)
        try answered(function(context, &record))
    }
}
