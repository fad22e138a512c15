import HostContent
import DeviceTransport
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge

/// A sink of the overlay for file records.
struct FileSink {
    private let sink: ovl_file_sink

    init(_ sink: ovl_file_sink) { self.sink = sink }

    /// Puts an entry of which only the name is known.
    func put(_ index: Int, _ name: String) throws(HostError) {
        var record = ovl_file_info.sized()
        try put(index, name, &record)
    }

    /// Puts the device's information about a file, or the error.
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
            let status = HostError(error).lend { put(sink.ctx, UInt64(index), $0.pointee.status, nil, $0) }
            guard status == OVL_OK else { throw HostError.receiverStopped }
        }
    }

    private func put(_ index: Int, _ name: String, _ record: inout ovl_file_info) throws(HostError) {
        guard let put = sink.put else { return }
        let memory = Arena()
        record.name = memory.text(name)
        let status = withExtendedLifetime(memory) {
            withUnsafePointer(to: record) { put(sink.ctx, UInt64(index), OVL_OK, $0, nil) }
        }
        guard status == OVL_OK else { throw HostError.receiverStopped }
    }
}

/// A sink of the overlay for the rows of a batch. After it has asked to stop, it receives nothing more.
final class RowSink {
    private let sink: ovl_result_sink
    private var seen = 0
    private var stopped = false

    init(_ sink: ovl_result_sink) { self.sink = sink }

    /// Puts the row of a successful item.
    ///
    /// - Parameter status: the device's information about a file that was sent.
    func put(
        _ index: Int, _ outcome: ItemStatus, path: String?, file: UInt64 = 0, status: FileStatus? = nil
    ) {
        put { memory, record in
            record.index = UInt64(index)
            record.status = OVL_OK
            record.outcome = outcome == .fetched ? OVL_OUTCOME_FETCHED : OVL_OUTCOME_ADDED
            record.path = memory.text(path)
            record.file = file
            record.modified = status?.modified ?? 0
            record.created = status?.created ?? 0
        }
    }

    /// Puts the row of a failed item.
    func put(_ index: Int, failed error: HostError) {
        put { memory, record in
            record.flags = (error.isRetryable ? OVL_ERROR_RETRYABLE : 0) | (error.hintCode?.flags ?? 0)
            record.index = UInt64(index)
            record.status = error.code.status
            record.outcome = OVL_OUTCOME_FAILED
            // A cancellation does not concern a single file, so its message is the same for all.
            let subject = error.code == .cancelled ? nil : error.subject
            record.message = memory.text(subject.map { "\($0): \(error.message)" } ?? error.message)
            record.hint = memory.text(error.hint)
            record.domain = error.abiDomain
            record.native_code = error.native?.number ?? 0
        }
    }

    private func put(_ fill: (Arena, inout ovl_item_result) -> Void) {
        seen += 1
        guard !stopped, let put = sink.put else { return }
        let memory = Arena()
        var record = ovl_item_result.sized()
        fill(memory, &record)
        let answer = withExtendedLifetime(memory) { withUnsafePointer(to: record) { put(sink.ctx, $0) } }
        stopped = answer != OVL_OK
    }

    /// Throws an error if the sink asked to stop, or if the transport did not return a result for every item.
    func check(count: Int, _ name: StaticString) throws(HostError) {
        if stopped { throw HostError.receiverStopped }
        guard seen == count else { throw HostError.missingRows(name) }
    }
}
