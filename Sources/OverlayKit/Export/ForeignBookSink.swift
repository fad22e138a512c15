import OverlayABI

/// The host's receiver of books.
final class ForeignBookSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_book>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_book_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ book: Book) throws(OverlayError) {
        try checkOpen()
        var record = book.record(in: arena)
        try answered(function(context, &record))
    }
}
