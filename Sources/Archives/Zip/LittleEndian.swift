/// Reads the little-endian numbers of ZIP records. Outside the buffer everything is 0, so that no input can trap; callers
/// check lengths before they rely on a number.
extension UnsafeRawBufferPointer {
    /// The 16-bit number at an offset.
    func uint16(at offset: Int) -> UInt16 { number(at: offset) }
    /// The 32-bit number at an offset.
    func uint32(at offset: Int) -> UInt32 { number(at: offset) }
    /// The 64-bit number at an offset.
    func uint64(at offset: Int) -> UInt64 { number(at: offset) }

    @inline(__always)
    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return 0 }
        return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
