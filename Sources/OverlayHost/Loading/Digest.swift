import Platform

/// FNV-1a of 64 bits, in hexadecimal: short names for paths and identities; no protection against forgery, which the
/// folder's owner and mode give.
enum Digest {
    static func of(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash ^= UInt64(byte)
            hash = hash &* 0x0000_0100_0000_01B3
        }
        return Hex.text(hash)
    }
}
