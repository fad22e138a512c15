/// Reads into a local file, which gets its final name only when it is complete.
///
/// With a `PartialFilePlace`, an interrupted file is kept there, and only the missing part of the same file is read.
final class PullJob: ReadJob {
    private let request: PullRequest
    private let budget: LocalFileBudget
    private let context: OperationContext
    private var file: LocalFile?
    /// The path at which an interrupted file is kept; nil if it is not kept.
    private var partialPath: String?

    init(
        _ index: Int, _ request: PullRequest, path: String, chunk: Int, _ meter: ProgressMeter,
        _ budget: LocalFileBudget, _ context: OperationContext
    ) {
        self.request = request
        self.budget = budget
        self.context = context
        super.init(
            index, FileReadRequest(path, expectedSize: request.expectedSize, limit: .max), chunk: chunk, meter
        )
    }

    override var verifiesSize: Bool { true }

    override func prepare() -> TransportError? {
        let former = partialPath
        partialPath = request.partialFiles?.path(path, status)
        do throws(TransportError) {
            if let file {
                // The connection was lost. Bytes of another version of the file are useless.
                if partialPath != former { try file.empty() }
                return nil
            }
            if !request.replacesExisting, LocalFile.exists(request.localPath) {
                throw TransportError(.exists, "The file already exists.", subject: request.localPath)
            }
            let file = try LocalFile.create(beside: request.localPath, from: partialPath, budget, context)
            self.file = file
            if let status, file.count > status.size { try file.empty() }
            return nil
        } catch {
            return error
        }
    }

    override func alreadyThere() -> UInt64 { file?.count ?? 0 }

    override func deliver(_ piece: UnsafeRawBufferPointer) -> TransportError? {
        guard let file else { return TransportError(.internalFailure, "There is no file to write to.") }
        return file.append(piece)
    }

    override func complete() {
        guard let file else { return }
        do throws(TransportError) {
            try file.finish(
                size: delivered, replacing: request.replacesExisting, synchronizing: request.synchronizes)
            self.file = nil
        } catch {
            fail(error)
        }
    }

    override func restart() -> Bool {
        if partialPath != nil { return true }
        do throws(TransportError) {
            try file?.empty()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// The file's status on the device, or the failure. The temporary file has then been removed or kept for a later
    /// transfer.
    func result() -> TransferResult<FileStatus> {
        if let partialPath, failure?.cutsOff == true { file?.setAside(as: partialPath) }
        file = nil
        if let failure { return .failure(failure) }
        // If the file has the expected size, the device was not asked for its status.
        var status = status ?? FileStatus(kind: .file, size: delivered)
        status.size = delivered
        return .success(status)
    }
}
