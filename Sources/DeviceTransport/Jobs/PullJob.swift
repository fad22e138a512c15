/// Reads into a local file, which gets its name only when it is complete.
final class PullJob: ReadJob {
    private let request: PullRequest
    private let budget: LocalFileBudget
    private let context: OperationContext
    private var file: LocalFile?

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
        if file != nil { return nil }
        do throws(TransportError) {
            if !request.replacesExisting, LocalFile.exists(request.localPath) {
                throw TransportError(.exists, "The file already exists.", subject: request.localPath)
            }
            file = try LocalFile.create(beside: request.localPath, budget, context)
            return nil
        } catch {
            return error
        }
    }

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
        do throws(TransportError) {
            try file?.empty()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// The file's status on the device, or the failure; a temporary file has been removed by then.
    func result() -> TransferResult<FileStatus> {
        file = nil
        if let failure { return .failure(failure) }
        // A file of the expected size is not asked about.
        var status = status ?? FileStatus(kind: .file, size: delivered)
        status.size = delivered
        return .success(status)
    }
}
