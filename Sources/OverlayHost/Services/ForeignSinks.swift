import DeviceTransport
import OverlayABI

/// A sink of the overlay for file records.
struct FileSink {
    private let sink: ovl_file_sink

    init(_ sink: ovl_file_sink) { self.sink = sink }

    /// Puts an entry of which only the name is known.
    func put(_ index: Int, _ name: String) throws(HostError) {
        var record = ovl_file_info.sized()
        try put(index, name, &record)
    }

    /// Puts what the device says about a file, or why it says nothing.
    func put(_ index: Int, _ name: String, _ result: Result<FileStatus, TransportError>) throws(HostError) {
        switch result {
        case .success(let status):
            var record = ovl_file_info.sized()
            record.kind =
                switch status.kind {
                case .file: OVL_FILE_REGULAR
                case .folder: OVL_FILE_FOLDER
                case .link: OVL_FILE_LINK
                case .other: OVL_FILE_OTHER
                }
            record.size = status.size
            record.modified = status.modified ?? 0
            record.created = status.created ?? 0
            try put(index, name, &record)
        case .failure(let error):
            guard let put = sink.put else { return }
            guard put(sink.ctx, UInt64(index), HostError(error).code.status, nil) == OVL_OK else {
                throw InstanceCore.receiverStopped
            }
        }
    }

    private func put(_ index: Int, _ name: String, _ record: inout ovl_file_info) throws(HostError) {
        guard let put = sink.put else { return }
        let memory = CallMemory()
        record.name = memory.text(name)
        let status = withExtendedLifetime(memory) {
            withUnsafePointer(to: record) { put(sink.ctx, UInt64(index), OVL_OK, $0) }
        }
        guard status == OVL_OK else { throw InstanceCore.receiverStopped }
    }
}

/// A sink of the overlay for the rows of a batch. Once it has asked to stop it receives nothing more.
final class RowSink {
    private let sink: ovl_result_sink
    private var seen = 0
    private var stopped = false

    init(_ sink: ovl_result_sink) { self.sink = sink }

    /// Puts the row of an item that went well.
    func put(_ index: Int, _ outcome: ItemStatus, path: String?, file: UInt64 = 0) {
        put(
            index, OVL_OK, outcome == .fetched ? OVL_OUTCOME_FETCHED : OVL_OUTCOME_ADDED, path, nil, nil, file
        )
    }

    /// Puts the row of an item that failed.
    func put(_ index: Int, failed error: HostError) {
        let message = error.subject.map { "\($0): \(error.message)" } ?? error.message
        put(index, error.code.status, OVL_OUTCOME_FAILED, nil, message, error.hint, 0)
    }

    private func put(
        _ index: Int, _ status: ovl_status, _ outcome: UInt32, _ path: String?, _ message: String?,
        _ hint: String?,
        _ file: UInt64
    ) {
        seen += 1
        guard !stopped, let put = sink.put else { return }
        let memory = CallMemory()
        var record = ovl_item_result.sized()
        record.index = UInt64(index)
        record.status = status
        record.outcome = outcome
        record.path = memory.text(path)
        record.message = memory.text(message)
        record.hint = memory.text(hint)
        record.file = file
        let answer = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
        stopped = answer != OVL_OK
    }

    /// Throws if the sink asked to stop, or if the transport left an item without an answer.
    func check(count: Int, _ name: StaticString) throws(HostError) {
        if stopped { throw InstanceCore.receiverStopped }
        guard seen == count else { throw InstanceCore.missingRows(name) }
    }
}
