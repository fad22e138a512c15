/// Tells a file that was damaged from a whole one. It withstands chance, not somebody who wants to deceive: whoever can write
/// the host's caches needs no deceit.
enum CacheChecksum {
    /// Of a range of bytes, eight at a time.
    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(buffer.count)
            let words = buffer.count / 8
            for index in 0..<words {
                hash = mix(hash ^ buffer.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            var rest: UInt64 = 0
            for index in (words * 8)..<buffer.count { rest = rest << 8 | UInt64(buffer[index]) }
            return mix(hash ^ rest)
        }
    }

    /// Every bit of the value reaches every bit of the result.
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low ^ (value >> 32)
    }
}
