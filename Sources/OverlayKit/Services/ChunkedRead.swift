import OverlayABI

/// Receives a file in consecutive pieces.
///
/// The arguments: bytes that are valid only during the call; the offset of this piece in the requested range; the
/// size of the range in bytes, or nil if it is unknown. An error ends the read, which then throws it.
///
/// ```swift
/// var lines = 0
/// try host.transport.read(.documents, "/Documents/notes.txt") { chunk, _, _ in
///     lines += chunk.count { $0 == UInt8(ascii: "\n") }
/// }
/// ```
public typealias ChunkHandler =
    (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) -> Void

/// Calls functions that deliver a file in pieces.
enum ChunkedRead {
    /// Runs a call that delivers a file in pieces, and checks that the pieces are consecutive.
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
