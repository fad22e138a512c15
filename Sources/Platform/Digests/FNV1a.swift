/// The 64-bit FNV-1a hash, for short names and tables. It does not protect against forgery.
package struct FNV1a {
    /// The hash of the bytes so far.
    package var value: UInt64

    /// The hash of no bytes. Another value of `beginning` gives other hashes for the same bytes.
    @inlinable package init(beginning: UInt64 = 0xCBF2_9CE4_8422_2325) { value = beginning }

    /// Adds a byte.
    @inlinable package mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Adds bytes.
    @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

    /// The hash of bytes.
    @inlinable package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.add(bytes)
        return hash.value
    }
}
