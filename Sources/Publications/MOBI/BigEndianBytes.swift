import FoundationEssentials

/// Numbers in bytes, most significant byte first; nothing outside of the bytes is ever touched.
struct BigEndianBytes {
    private let data: [UInt8]

    init(_ data: Data) {
        self.data = [UInt8](data)
    }

    var count: Int { data.count }

    /// The 16-bit number at an offset; nil when it does not lie wholly inside.
    func uint16(_ offset: Int) -> UInt16? {
        guard offset >= 0, offset <= data.count - 2 else { return nil }
        return UInt16(data[offset]) << 8 | UInt16(data[offset + 1])
    }

    /// The 32-bit number at an offset; nil when it does not lie wholly inside.
    func uint32(_ offset: Int) -> Int? {
        guard let high = uint16(offset), let low = uint16(offset + 2) else { return nil }
        return Int(high) << 16 | Int(low)
    }

    /// The bytes from an offset on, as many as there are.
    func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < data.count, count > 0 else { return [] }
        return data[offset..<offset + min(count, data.count - offset)]
    }
}
