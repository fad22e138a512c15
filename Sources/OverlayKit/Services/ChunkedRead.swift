import OverlayABI

/// Receives a file piece by piece, in order, without gaps.
///
/// The arguments: bytes that are valid only during the call; bytes from the start of the requested range to this
/// piece; bytes of the whole range, nil: unknown. What it throws ends the read and is thrown by it.
public typealias ChunkHandler =
    (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) -> Void

/// Calls that deliver a file piece by piece.
enum ChunkedRead {
    /// Runs a call that delivers a file piece by piece, and checks that the pieces follow each other.
    static func receive(
        _ each: ChunkHandler, _ call: (UnsafePointer<ovl_bytes_sink>) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let failure: OverlayError? = withoutActuallyEscaping(each) { each in
            var expected: UInt64 = 0
            let receiver = RowReceiver<ChunkRow> { (chunk) throws(OverlayError) in
                guard chunk.offset == expected else {
                    throw .contractBroken(
                        "A chunk of a file begins at \(chunk.offset) instead of "
                            + "\(expected).")
                }
                expected &+= UInt64(chunk.bytes.count)
                try each(chunk.bytes, chunk.offset, chunk.total)
            }
            var sink = receiver.bytesSink()
            do throws(OverlayError) {
                try receiver.finish { () throws(OverlayError) in try call(&sink) }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}
