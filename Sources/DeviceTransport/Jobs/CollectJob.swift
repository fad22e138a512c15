/// Reads a file into memory.
final class CollectJob: ReadJob {
    private(set) var bytes: [UInt8] = []

    override func deliver(_ piece: UnsafeRawBufferPointer) -> TransportError? {
        if bytes.isEmpty, let size = status?.size, size <= 4 << 20 { bytes.reserveCapacity(Int(size)) }
        bytes.append(contentsOf: piece)
        return nil
    }

    override func restart() -> Bool {
        bytes = []
        return true
    }

    /// The bytes, or the failure. The job gives up its own reference to the bytes.
    func result() -> TransferResult<[UInt8]> {
        if let failure { return .failure(failure) }
        defer { bytes = [] }
        return .success(bytes)
    }
}

/// Passes the bytes to the caller's closure as they arrive.
final class SinkJob: ReadJob {
    private let sink: (UnsafeRawBufferPointer) -> TransportError?

    init(
        _ request: FileReadRequest, chunk: Int, _ meter: ProgressMeter,
        _ sink: @escaping (UnsafeRawBufferPointer) -> TransportError?
    ) {
        self.sink = sink
        super.init(0, request, chunk: chunk, meter)
    }

    override func deliver(_ piece: UnsafeRawBufferPointer) -> TransportError? { sink(piece) }

    override func restart() -> Bool { delivered == 0 }
}
