/// The little-endian numbers of ZIP records, as they are written.
struct ZipBytes {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: UInt16) { append(UInt64(number), 2) }
    mutating func put(_ number: UInt32) { append(UInt64(number), 4) }
    mutating func put(_ number: UInt64) { append(number, 8) }
    mutating func put(_ bytes: [UInt8]) { self.bytes += bytes }

    /// A number of 32 bits, or all ones where the ZIP64 field has it.
    mutating func putNarrow(_ number: UInt64) { put(UInt32(exactly: number) ?? .max) }

    private mutating func append(_ number: UInt64, _ count: UInt64) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
