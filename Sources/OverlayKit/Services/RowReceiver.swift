import OverlayABI

/// Receives the rows that a service function puts into a sink, and keeps them in order.
///
/// A row that cannot be converted stops the call, and `finish` throws the error.
final class RowReceiver<Row> {
    private(set) var rows: [Row] = []
    private var failure: OverlayError?
    private let handler: ((Row) throws(OverlayError) -> Void)?

    /// Creates a receiver that keeps the rows.
    init() { handler = nil }

    /// Creates a receiver that passes each row to `handler` instead of keeping it.
    init(_ handler: @escaping (Row) throws(OverlayError) -> Void) { self.handler = handler }

    /// Receives the result of `convert`. For use in the C function of a sink.
    ///
    /// After a failure, all further rows are ignored.
    func receive(_ convert: () throws(OverlayError) -> Row) -> ovl_status {
        guard failure == nil else { return OVL_STOPPED }
        do throws(OverlayError) {
            let row = try convert()
            if let handler { try handler(row) } else { rows.append(row) }
            return OVL_OK
        } catch {
            failure = error
            return OVL_STOPPED
        }
    }

    /// Runs the call that fills this receiver. If the receiver stopped the call, throws the receiver's error instead
    /// of that of the call.
    func finish(_ call: () throws(OverlayError) -> Void) throws(OverlayError) {
        do throws(OverlayError) {
            try call()
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// The context of a sink for this receiver, which must exist until the call returns.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The receiver for the context of a sink; nil if the host passes null.
    static func from(_ context: UnsafeMutableRawPointer?) -> RowReceiver? {
        context.map { Unmanaged<RowReceiver>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension RowReceiver where Row == String {
    /// Creates a sink for this receiver.
    func textSink() -> ovl_text_sink {
        var sink = ovl_text_sink.sized()
        sink.ctx = context
        sink.put = { context, text in
            guard let receiver = RowReceiver<String>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in try requiredView(text).required("value") }
        }
        return sink
    }
}

extension RowReceiver where Row == DeviceInfo {
    /// Creates a sink for this receiver.
    func deviceSink() -> ovl_device_sink {
        var sink = ovl_device_sink.sized()
        sink.ctx = context
        sink.put = { context, device in
            guard let receiver = RowReceiver<DeviceInfo>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in try DeviceInfo(.copy(required: device)) }
        }
        return sink
    }
}

extension RowReceiver where Row == RootAccess {
    /// Creates a sink for this receiver.
    func rootSink() -> ovl_root_sink {
        var sink = ovl_root_sink.sized()
        sink.ctx = context
        sink.put = { context, root in
            guard let receiver = RowReceiver<RootAccess>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in try RootAccess(.copy(required: root)) }
        }
        return sink
    }
}

extension RowReceiver where Row == ItemResult {
    /// Creates a sink for this receiver.
    func resultSink() -> ovl_result_sink {
        var sink = ovl_result_sink.sized()
        sink.ctx = context
        sink.put = { context, result in
            guard let receiver = RowReceiver<ItemResult>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in try ItemResult(.copy(required: result)) }
        }
        return sink
    }
}

/// A row of a batch for files: the index of the file, and its information or error.
struct FileRow {
    var index: UInt64
    var result: Result<FileInfo, OverlayError>
}

extension RowReceiver where Row == FileRow {
    /// Creates a sink for this receiver.
    func fileSink() -> ovl_file_sink {
        var sink = ovl_file_sink.sized()
        sink.ctx = context
        sink.put = { context, index, status, info, error in
            guard let receiver = RowReceiver<FileRow>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in
                guard status == OVL_OK else {
                    return FileRow(index: index, result: .failure(OverlayError(ofRow: status, error)))
                }
                guard let info else { throw ServiceCall.withoutResult("file_sink.put") }
                return FileRow(index: index, result: .success(try FileInfo(.copy(required: info))))
            }
        }
        return sink
    }
}

/// A row of a batch of reads: the index of the request, and the borrowed bytes or the error.
struct ReadRow {
    var index: UInt64
    /// The bytes are valid only while the row is received.
    var result: Result<UnsafeRawBufferPointer, OverlayError>
}

extension RowReceiver where Row == ReadRow {
    /// Creates a sink for this receiver.
    func readSink() -> ovl_read_sink {
        var sink = ovl_read_sink.sized()
        sink.ctx = context
        sink.put = { context, index, status, bytes, error in
            guard let receiver = RowReceiver<ReadRow>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in
                guard status == OVL_OK else {
                    return ReadRow(index: index, result: .failure(OverlayError(ofRow: status, error)))
                }
                guard let buffer = try bytes?.pointee.buffer("bytes") else {
                    throw ServiceCall.withoutResult("read_sink.put")
                }
                return ReadRow(index: index, result: .success(buffer))
            }
        }
        return sink
    }
}

/// A piece of a file. The bytes are valid only while it is received.
struct ChunkRow {
    var bytes: UnsafeRawBufferPointer
    var offset: UInt64
    var total: UInt64?
}

extension RowReceiver where Row == ChunkRow {
    /// Creates a sink for this receiver.
    func bytesSink() -> ovl_bytes_sink {
        var sink = ovl_bytes_sink.sized()
        sink.ctx = context
        sink.put = { context, chunk, offset, total in
            guard let receiver = RowReceiver<ChunkRow>.from(context) else { return OVL_CONTRACT_BROKEN }
            return receiver.receive { () throws(OverlayError) in
                guard let buffer = try requiredView(chunk).buffer("chunk") else {
                    throw OverlayError.contractBroken("A chunk of a file is missing.")
                }
                return ChunkRow(bytes: buffer, offset: offset, total: total == .max ? nil : total)
            }
        }
        return sink
    }
}
