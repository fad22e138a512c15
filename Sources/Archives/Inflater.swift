import CZlib

/// A raw inflate stream of zlib. Used by one thread at a time.
final class Inflater {
    /// The result of one step.
    struct Step {
        /// The number of input bytes used.
        var consumed: Int
        /// The number of output bytes written.
        var produced: Int
        /// Whether the deflate data ended here.
        var isAtEnd: Bool
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a new stream. Throws if there is not enough memory.
    init() throws(ArchiveError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Negative bits select deflate data without a zlib header.
        guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw Self.outOfMemory
        }
    }

    /// Creates a stream that continues from the state of `other`.
    init(copying other: Inflater) throws(ArchiveError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateCopy(stream, other.stream) == Z_OK else {
            stream.deallocate()
            throw Self.outOfMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates until the input is used up, the output is full, or the data end.
    ///
    /// - Parameter isWhole: whether the input is the complete rest and the output has space for all of it, in which
    ///   case zlib needs no window.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isWhole: Bool = false
    ) throws(ArchiveError) -> Step {
        // zlib counts in 32 bits, so callers call this in a loop.
        let inputCount = min(input.count, Int(UInt32.max))
        let outputCount = min(output.count, Int(UInt32.max))
        let fits = inputCount == input.count && outputCount == output.count
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(inputCount)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(outputCount)
        let status = inflate(stream, isWhole && fits ? Z_FINISH : Z_NO_FLUSH)
        let step = Step(
            consumed: inputCount - Int(stream.pointee.avail_in),
            produced: outputCount - Int(stream.pointee.avail_out), isAtEnd: status == Z_STREAM_END)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return step
        case Z_MEM_ERROR: throw Self.outOfMemory
        default: throw ArchiveError(.corruptEntry, "The compressed bytes are damaged.")
        }
    }

    private static var outOfMemory: ArchiveError {
        ArchiveError(.tooLarge, "Not enough memory to decompress.")
    }
}

/// Computes checksums with zlib.
enum Checksum {
    /// The CRC-32 of bytes, continuing from `previous`.
    static func crc32(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return previous }
        return UInt32(truncatingIfNeeded: CZlib.crc32_z(UInt(previous), start, bytes.count))
    }
}
