import CZlib

/// Decompresses data with zlib, up to a limit and up to any damage.
enum PDFInflate {
    /// Decodes data with a zlib header. If that header is damaged, decodes them as raw deflate data.
    static func decode(_ bytes: [UInt8], limit: Int) -> PDFFilter.Result {
        let result = inflate(bytes, windowBits: 15, limit: limit)
        guard result.isDamaged, result.bytes.isEmpty, bytes.count > 2 else { return result }
        let raw = inflate(Array(bytes.dropFirst(2)), windowBits: -15, limit: limit)
        return PDFFilter.Result(bytes: raw.bytes, isDamaged: true, isTooLarge: raw.isTooLarge)
    }

    private static func inflate(_ bytes: [UInt8], windowBits: Int32, limit: Int) -> PDFFilter.Result {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
            return PDFFilter.Result(bytes: [], isDamaged: true)
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var status = Z_OK
        bytes.withUnsafeBufferPointer { input in
            // zlib's input pointer is not const, but zlib does not write to it. Streams are limited to far below 4
            // GiB.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            var piece = min(max(input.count * 4, 4_096), 256 << 10)
            while status == Z_OK, output.count <= limit {
                let room = min(piece, limit + 1 - output.count)
                guard room > 0 else { break }
                let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(room)
                    status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    count = room - Int(stream.avail_out)
                }
                output += part
                if part.isEmpty, status == Z_OK { break }
                piece = 256 << 10
            }
        }
        let isTooLarge = output.count > limit
        if isTooLarge { output.removeLast(output.count - limit) }
        return PDFFilter.Result(
            bytes: output, isDamaged: status != Z_STREAM_END && !isTooLarge, isTooLarge: isTooLarge)
    }
}
