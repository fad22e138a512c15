import OverlayBridge
import HostContract
import OverlayABI

/// The sinks for methods. Their functions check that a method is running, and that they are called on its thread.
struct MethodSinks {
    private let context: UnsafeMutableRawPointer

    /// Creates sinks for the calls of an instance, valid as long as its context.
    init(_ context: InstanceContext) { self.context = Unmanaged.passUnretained(context).toOpaque() }

    /// The running call, if this is its thread and it expects data from `sink`.
    @inline(__always)
    private static func running(_ context: UnsafeMutableRawPointer?, _ sink: StaticString) -> CallFrame? {
        guard let context else { return nil }
        let core = Unmanaged<InstanceContext>.fromOpaque(context).takeUnretainedValue()
        guard core.isDeviceThread else {
            core.refuse(ContractBreach(.otherThread, "It was called from another thread."), in: "\(sink)")
            return nil
        }
        guard let frame = core.frame else {
            core.misbehaved(
                ContractBreach(.sinkAfterReturn, "It was called after its method had returned."),
                in: "\(sink)")
            return nil
        }
        return frame
    }

    /// Passes data to a collector, unless the method should end.
    @inline(__always)
    private static func take(_ frame: CallFrame, _ what: () throws(ContractBreach) -> Void) -> ovl_status {
        let status = frame.take(what)
        guard status == OVL_OK, frame.shouldStop() else { return status }
        frame.stop()
        return OVL_STOPPED
    }

    var error: ovl_error_sink {
        var sink = ovl_error_sink.sized()
        sink.ctx = context
        sink.put = { context, error in
            MethodSinks.running(context, "error_sink.put")?.put(error)
        }
        return sink
    }

    var book: ovl_book_sink {
        var sink = ovl_book_sink.sized()
        sink.ctx = context
        sink.put = { context, book in
            guard let frame = MethodSinks.running(context, "book_sink.put"), let books = frame.books else {
                return OVL_WRONG_STATE
            }
            if frame.isStopped(at: book, "ovl_book") { return OVL_STOPPED }
            // Checking for every book whether to stop would take longer than accepting the book.
            guard books.count & 63 == 63 else {
                return frame.take { () throws(ContractBreach) in try books.put(book) }
            }
            return MethodSinks.take(frame) { () throws(ContractBreach) in try books.put(book) }
        }
        return sink
    }

    var collection: ovl_collection_sink {
        var sink = ovl_collection_sink.sized()
        sink.ctx = context
        sink.put = { context, collection in
            guard let frame = MethodSinks.running(context, "collection_sink.put"),
                let collections = frame.collections
            else { return OVL_WRONG_STATE }
            if frame.isStopped(at: collection, "ovl_collection") { return OVL_STOPPED }
            return MethodSinks.take(frame) { () throws(ContractBreach) in try collections.put(collection) }
        }
        return sink
    }

    var result: ovl_result_sink {
        var sink = ovl_result_sink.sized()
        sink.ctx = context
        sink.put = { context, result in
            guard let frame = MethodSinks.running(context, "result_sink.put"), let rows = frame.rows else {
                return OVL_WRONG_STATE
            }
            if frame.isStopped(at: result, "ovl_item_result") { return OVL_STOPPED }
            // A row is accepted even after a cancellation, because it reports a change that was already made.
            return frame.take { () throws(ContractBreach) in try rows.put(result) }
        }
        return sink
    }

    var plan: ovl_sync_row_sink {
        var sink = ovl_sync_row_sink.sized()
        sink.ctx = context
        sink.put = { context, row in
            guard let frame = MethodSinks.running(context, "sync_row_sink.put"), let plan = frame.plan else {
                return OVL_WRONG_STATE
            }
            if frame.isStopped(at: row, "ovl_sync_row") { return OVL_STOPPED }
            return MethodSinks.take(frame) { () throws(ContractBreach) in try plan.put(row) }
        }
        return sink
    }

    var edit: ovl_edit_sink {
        var sink = ovl_edit_sink.sized()
        sink.ctx = context
        sink.put = { context, edit in
            guard let frame = MethodSinks.running(context, "edit_sink.put"), let edits = frame.edits else {
                return OVL_WRONG_STATE
            }
            if frame.isStopped(at: edit, "ovl_booklist_edit") { return OVL_STOPPED }
            return frame.take { () throws(ContractBreach) in try edits.put(edit) }
        }
        return sink
    }

    var presence: ovl_presence_sink {
        var sink = ovl_presence_sink.sized()
        sink.ctx = context
        sink.put = { context, presence in
            guard let frame = MethodSinks.running(context, "presence_sink.put"),
                let collector = frame.presence
            else { return OVL_WRONG_STATE }
            if frame.isStopped(at: presence, "ovl_presence") { return OVL_STOPPED }
            return frame.take { () throws(ContractBreach) in try collector.put(presence) }
        }
        return sink
    }

    var settings: ovl_settings_sink {
        var sink = ovl_settings_sink.sized()
        sink.ctx = context
        sink.put = { context, settings in
            guard let frame = MethodSinks.running(context, "settings_sink.put"),
                let collector = frame.settings
            else { return OVL_WRONG_STATE }
            if frame.isStopped(at: settings, "ovl_settings") { return OVL_STOPPED }
            return frame.take { () throws(ContractBreach) in try collector.put(settings) }
        }
        return sink
    }

    var bytes: ovl_bytes_sink {
        var sink = ovl_bytes_sink.sized()
        sink.ctx = context
        sink.put = { context, chunk, offset, total in
            guard let frame = MethodSinks.running(context, "bytes_sink.put"), let bytes = frame.bytes else {
                return OVL_WRONG_STATE
            }
            if frame.isStopped(at: chunk, "ovl_bytes") { return OVL_STOPPED }
            let status = MethodSinks.take(frame) { () throws(ContractBreach) in
                try bytes.put(chunk, offset: offset, total: total)
            }
            guard status == OVL_OK, bytes.failure != nil else { return status }
            frame.stop()
            return OVL_STOPPED
        }
        return sink
    }
}
