import HostContract
import HostErrors
import OverlayABI
import OverlayBridge

/// Additional information about a copied file.
struct LentCopy {
    /// The SHA-256 of the content.
    var digest: String?
    /// The modification time of the content on the device, in nanoseconds since 1970; 0 if unknown.
    var deviceModified: Int64 = 0
}

/// A sink of the overlay for files of a granted folder. After it has asked to stop, it receives nothing more.
final class LentFileSink {
    private let sink: ovl_source_sink
    private(set) var hasStopped = false

    init(_ sink: ovl_source_sink) { self.sink = sink }

    /// Puts the information about a file.
    func put(_ index: Int, _ file: GrantedFile, _ copy: LentCopy = LentCopy()) {
        guard !hasStopped, let put = sink.put else { return }
        let memory = Arena()
        var record = ovl_source_file.sized()
        record.name = memory.text(file.name)
        record.kind =
            switch file.kind {
            case .regular: OVL_FILE_REGULAR
            case .folder: OVL_FILE_FOLDER
            case .link: OVL_FILE_LINK
            case .other: OVL_FILE_OTHER
            }
        record.size = file.size
        record.modified = file.modified
        record.stamp = memory.text(file.stamp)
        record.digest = memory.text(copy.digest)
        record.device_modified = copy.deviceModified
        let answer = withExtendedLifetime(memory) {
            withUnsafePointer(to: record) { put(sink.ctx, UInt64(index), OVL_OK, $0, nil) }
        }
        hasStopped = answer != OVL_OK
    }

    /// Puts the error for a file.
    func put(_ index: Int, failed error: HostError) {
        guard !hasStopped, let put = sink.put else { return }
        let answer = error.lend { put(sink.ctx, UInt64(index), $0.pointee.status, nil, $0) }
        hasStopped = answer != OVL_OK
    }

    /// Throws an error if the sink asked to stop.
    func check() throws(HostError) { if hasStopped { throw HostError.receiverStopped } }
}
