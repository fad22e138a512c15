/// The head of a CBOR data item (RFC 8949, section 3): its major type and its argument, such as a number or a length.
///
/// The types of this module are public, not `package`, because the compiler inlines only public functions into
/// other modules.
public enum CBORHead {
    /// The major types that this project uses.
    public enum Kind: UInt8, Sendable {
        case unsigned = 0, negative, bytes, text, array
        /// A simple value or a floating-point number.
        case simple = 7
    }

    /// The largest size of a head in bytes.
    public static let largest = 9
    static let nullByte: UInt8 = 0xF6
    static let doubleByte: UInt8 = 0xFB

    /// The additional information in the first byte, and the number of bytes of the argument after it.
    @inlinable @inline(__always)
    public static func form(of argument: UInt64) -> (information: UInt8, size: Int) {
        if argument < 24 { return (UInt8(truncatingIfNeeded: argument), 0) }
        if argument <= 0xFF { return (24, 1) }
        if argument <= 0xFFFF { return (25, 2) }
        return argument <= 0xFFFF_FFFF ? (26, 4) : (27, 8)
    }

    /// Writes the shortest head.
    ///
    /// - Parameter memory: at least ``largest`` bytes. The bytes after the head are undefined.
    /// - Returns: the size of the head in bytes.
    @inlinable @inline(__always)
    public static func write(
        _ kind: Kind, _ argument: UInt64, to memory: UnsafeMutableRawPointer
    ) -> Int {
        let (information, size) = form(of: argument)
        memory.storeBytes(of: kind.rawValue << 5 | information, as: UInt8.self)
        guard size > 0 else { return 1 }
        // The argument is in big-endian order.
        let aligned = argument << UInt64(64 - 8 * size)
        (memory + 1).storeBytes(of: aligned.bigEndian, as: UInt64.self)
        return 1 + size
    }

    /// Writes an unsigned integer with a head of nine bytes, for a value that is set after the items that follow.
    @inlinable @inline(__always)
    public static func writeWide(_ value: UInt64, to memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: Kind.unsigned.rawValue << 5 | 27, as: UInt8.self)
        (memory + 1).storeBytes(of: value.bigEndian, as: UInt64.self)
    }

    /// Writes a floating-point number of 64 bits, which takes nine bytes.
    @inlinable @inline(__always)
    public static func writeDouble(bitPattern: UInt64, to memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: Kind.simple.rawValue << 5 | 27, as: UInt8.self)
        (memory + 1).storeBytes(of: bitPattern.bigEndian, as: UInt64.self)
    }

    /// The byte of a boolean.
    @inlinable @inline(__always)
    public static func byte(of flag: Bool) -> UInt8 { Kind.simple.rawValue << 5 | (flag ? 21 : 20) }
}
