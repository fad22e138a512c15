import CZlib

/// Checksums of zlib.
enum Checksum {
    /// The CRC-32 of bytes, continuing from `previous`.
    static func crc32(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return previous }
        return UInt32(truncatingIfNeeded: CZlib.crc32_z(UInt(previous), start, bytes.count))
    }
}
