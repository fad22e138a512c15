import CZlib

/// A raw deflate stream of zlib. Used by one thread at a time.
final class Deflater {
    private static let pieceSize = 64 << 10
    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a new stream. Throws if there is not enough memory.
    ///
    /// - Parameter compresses: false to only wrap the bytes, for content that is already compressed.
    init(compresses: Bool) throws(ArchiveError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Negative bits select deflate data without a zlib header.
        let status = deflateInit2_(
            stream, compresses ? Z_DEFAULT_COMPRESSION : Z_NO_COMPRESSION, Z_DEFLATED, -15, 8,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw ArchiveError(.tooLarge, "Not enough memory to compress.")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses bytes and appends the available output to `output`. If these are the last bytes, appends
    /// everything.
    func step(_ input: UnsafeRawBufferPointer, isLast: Bool, into output: inout [UInt8]) throws(ArchiveError)
    {
        var rest = input
        repeat {
            // zlib counts in 32 bits.
            let count = min(rest.count, Int(UInt32.max))
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            try take(part, isLast: isLast && rest.isEmpty, into: &output)
        } while !rest.isEmpty
    }

    private func take(
        _ input: UnsafeRawBufferPointer, isLast: Bool, into output: inout [UInt8]
    ) throws(ArchiveError) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        defer {
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
        }
        while true {
            var status = Z_OK
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(Self.pieceSize)
                status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                count = Self.pieceSize - Int(stream.pointee.avail_out)
            }
            output += piece
            switch status {
            case Z_STREAM_END: return
            // If a piece is not full, there is no more output for now.
            case Z_OK, Z_BUF_ERROR: if !isLast, piece.count < Self.pieceSize { return }
            default: throw ArchiveError(.tooLarge, "The bytes cannot be compressed.")
            }
        }
    }
}
