/// The 64-bit FNV-1a hash, for short names and tables. It does not protect against forgery.
///
/// It is public, not `package`, because the compiler inlines only public functions into other modules.
public struct FNV1a {
    /// The hash of the bytes so far.
    public var value: UInt64

    /// The hash of no bytes. Another value of `beginning` gives other hashes for the same bytes.
    @inlinable public init(beginning: UInt64 = 0xCBF2_9CE4_8422_2325) { value = beginning }

    /// Adds a byte.
    @inlinable @inline(__always) public mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Adds bytes.
    @inlinable public mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

    /// The hash of bytes.
    @inlinable public static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.add(bytes)
        return hash.value
    }
}
