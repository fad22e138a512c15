import OverlayABI
import OverlayBridge

/// A sink of the host that a method of an overlay uses.
///
/// After the sink has returned another status than OVL_OK, it is not called again: each further row throws the same
/// error.
class ForeignSink {
    let arena = Arena()
    private(set) var refusal: OverlayError?

    /// Throws an error if the sink asked to stop.
    final func checkOpen() throws(OverlayError) {
        if let refusal { throw refusal }
    }

    /// Handles the status that the sink returned.
    final func answered(_ status: ovl_status) throws(OverlayError) {
        arena.reset()
        guard status != OVL_OK else { return }
        let error = OverlayError(OverlayStatus(rawValue: status), "The receiver wants no more results.")
        refusal = error
        throw error
    }

    /// The sink at a pointer, which must not be null according to the contract.
    static func required<Sink: ABIRecord, Put>(
        _ pointer: UnsafePointer<Sink>, _ put: (Sink) -> Put?
    ) throws(OverlayError) -> (Sink, Put) {
        let sink = try Sink.copy(required: pointer)
        guard let function = put(sink) else {
            throw .contractBroken("A \(Sink.self) has no function.")
        }
        return (sink, function)
    }
}

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
        var record = ovl_book.sized()
        arena.write(book, to: &record)
        try answered(function(context, &record))
    }
}

/// The host's receiver of collections.
final class ForeignCollectionSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_collection>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_collection_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ collection: BookCollection) throws(OverlayError) {
        try checkOpen()
        var record = ovl_collection.sized()
        record.name = arena.text(collection.name)
        record.kind = arena.text(collection.kind.rawValue)
        record.books = arena.texts(collection.books)
        try answered(function(context, &record))
    }
}

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

/// The host's receiver of the single answer of `can_handle`.
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

/// The host's receiver of the single record of `settings`.
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

/// The host's receiver of the rows of a plan.
final class ForeignPlanSink: ForeignSink {
    private let context: UnsafeMutableRawPointer?
    private let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<ovl_sync_row>) -> ovl_status

    init(_ pointer: UnsafePointer<ovl_sync_row_sink>) throws(OverlayError) {
        let (sink, put) = try ForeignSink.required(pointer) { $0.put }
        (context, function) = (sink.ctx, put)
    }

    func put(_ row: SourcePlanRow) throws(OverlayError) {
        try checkOpen()
        var record = row.record(in: arena)
        try answered(function(context, &record))
    }
}

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
        // A null address would mean absent bytes, so use another address for empty bytes.
        let address = chunk.baseAddress ?? UnsafeRawPointer(arena.allocate(0))
        var view = ovl_bytes(data: address.assumingMemoryBound(to: UInt8.self), size: UInt64(chunk.count))
        try answered(function(context, &view, offset, total ?? .max))
    }
}
