import OverlayABI
import OverlayBridge

/// A row of a batch for sources: the index of the source, and its value or error.
struct ContentRow<Value> {
    var index: UInt64
    var result: Result<Value, OverlayError>

    /// Creates the row from the arguments of a sink's function: the record if the status is OVL_OK, otherwise the
    /// error.
    init<Record: ABIRecord>(
        _ index: UInt64, _ status: ovl_status, _ record: UnsafePointer<Record>?,
        _ error: UnsafePointer<ovl_error>?, _ name: StaticString,
        _ convert: (Record) throws(OverlayError) -> Value
    ) throws(OverlayError) {
        self.index = index
        guard status == OVL_OK else {
            result = .failure(OverlayError(ofRow: status, error))
            return
        }
        guard let record else { throw ServiceCall.withoutResult(name) }
        result = .success(try convert(.copy(required: record)))
    }
}

extension RowReceiver where Row == ContentRow<SniffResult> {
    /// Creates a sink for this receiver.
    func formatSink() -> ovl_format_sink {
        var sink = ovl_format_sink.sized()
        sink.ctx = context
        sink.put = { context, index, status, format, error in
            guard let receiver = RowReceiver<ContentRow<SniffResult>>.from(context) else {
                return OVL_CONTRACT_BROKEN
            }
            return receiver.receive { () throws(OverlayError) in
                try ContentRow(index, status, format, error, "format_sink.put", SniffResult.init)
            }
        }
        return sink
    }
}

extension RowReceiver where Row == ContentRow<BookMetadata> {
    /// Creates a sink for this receiver.
    func metadataSink() -> ovl_metadata_sink {
        var sink = ovl_metadata_sink.sized()
        sink.ctx = context
        sink.put = { context, index, status, metadata, error in
            guard let receiver = RowReceiver<ContentRow<BookMetadata>>.from(context) else {
                return OVL_CONTRACT_BROKEN
            }
            return receiver.receive { () throws(OverlayError) in
                try ContentRow(index, status, metadata, error, "metadata_sink.put", BookMetadata.init)
            }
        }
        return sink
    }
}

extension RowReceiver where Row == ResourceInfo {
    /// Creates a sink for this receiver.
    func resourceSink() -> ovl_resource_sink {
        var sink = ovl_resource_sink.sized()
        sink.ctx = context
        sink.put = { context, _, resource in
            guard let receiver = RowReceiver<ResourceInfo>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in
                try ResourceInfo(.copy(required: resource))
            }
        }
        return sink
    }
}
