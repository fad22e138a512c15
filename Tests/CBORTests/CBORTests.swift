import Testing

@testable import CBOR

@Suite("CBOR items are written as RFC 8949 describes and read without trust")
struct CBORTests {
    private func bytes(_ write: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        write(&writer)
        return writer.bytes
    }

    private func read<Value>(_ bytes: [UInt8], _ read: (inout CBORReader) -> Value) -> (
        Value, isDamaged: Bool
    ) {
        bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let value = read(&reader)
            return (value, reader.isDamaged)
        }
    }

    /// From RFC 8949, appendix A.
    @Test(
        "An unsigned integer has the shortest head",
        arguments: [
            (0, [0x00]), (23, [0x17]), (24, [0x18, 0x18]), (100, [0x18, 0x64]), (1000, [0x19, 0x03, 0xE8]),
            (1_000_000, [0x1A, 0x00, 0x0F, 0x42, 0x40]),
            (1_000_000_000_000, [0x1B, 0x00, 0x00, 0x00, 0xE8, 0xD4, 0xA5, 0x10, 0x00]),
            (.max, [0x1B] + [UInt8](repeating: 0xFF, count: 8)),
        ] as [(UInt64, [UInt8])])
    func unsigned(value: UInt64, encoded: [UInt8]) {
        #expect(bytes { $0.append(value) } == encoded)
        #expect(read(encoded) { $0.unsigned() } == (value, false))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: CBORHead.largest, alignment: 8)
        defer { memory.deallocate() }
        guard let start = memory.baseAddress else { return }
        let size = CBORHead.write(.unsigned, value, to: start)
        #expect(Array(memory.prefix(size)) == encoded)
        CBORHead.writeWide(value, to: start)
        #expect(read(Array(memory)) { $0.unsigned() } == (value, false))
    }

    /// From RFC 8949, appendix A.
    @Test(
        "A negative integer is the inverse of its number",
        arguments: [
            (-1, [0x20]), (-10, [0x29]), (-100, [0x38, 0x63]), (-1000, [0x39, 0x03, 0xE7]),
            (.min, [0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)), (5, [0x05]),
        ] as [(Int64, [UInt8])])
    func signed(value: Int64, encoded: [UInt8]) {
        #expect(bytes { $0.append(value) } == encoded)
        #expect(read(encoded) { $0.signed() } == (value, false))
    }

    /// From RFC 8949, appendix A.
    @Test("Numbers, booleans, null, texts, byte strings and arrays have the bytes of the standard")
    func others() {
        #expect(bytes { $0.append(1.1) } == [0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A])
        #expect(bytes { $0.append(false) } == [0xF4])
        #expect(bytes { $0.append(true) } == [0xF5])
        #expect(bytes { $0.append(nil as Bool?) } == [0xF6])
        #expect(bytes { $0.append(nil as UInt64?) } == [0xF6])
        #expect(bytes { $0.append("") } == [0x60])
        #expect(bytes { $0.append("IETF") } == [0x64, 0x49, 0x45, 0x54, 0x46])
        #expect(bytes { $0.append("\u{00FC}") } == [0x62, 0xC3, 0xBC])
        let raw: [UInt8] = [1, 2, 3, 4]
        #expect(bytes { writer in raw.withUnsafeBytes { writer.append(bytes: $0) } } == [0x44, 1, 2, 3, 4])
        #expect(bytes { $0.append(["a", "b"]) } == [0x82, 0x61, 0x61, 0x61, 0x62])
        #expect(bytes { $0.append([]) } == [0x80])
    }

    @Test("Values are read as they were written, absent ones as nil")
    func roundTrip() {
        let long = String(repeating: "Ä😀\u{0}", count: 10_000)
        let encoded = bytes { writer in
            writer.append(nil as String?)
            writer.append(long)
            writer.append(["", "x"])
            writer.append(nil as Double?)
            writer.append(-0.0)
            writer.append(nil as Int64?)
            writer.append(true)
            writer.beginArray(2)
            writer.append(7 as UInt64)
            writer.append(8 as UInt64)
        }
        encoded.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            #expect(reader.text() == nil)
            #expect(reader.text() == long)
            #expect(reader.texts() == ["", "x"])
            #expect(reader.double() == nil)
            #expect(reader.double()?.sign == .minus)
            #expect(reader.signed() == nil)
            #expect(reader.bool() == true)
            #expect(reader.array { $0.unsigned() } == [7, 8])
            #expect(reader.left == 0 && !reader.isDamaged)
            #expect(reader.unsigned() == nil && reader.isDamaged)
        }
    }

    @Test(
        "Items that are missing, of another type or of indefinite length count as damage",
        arguments: [
            [], [0x18], [0x1B, 0, 0, 0], [0x1C], [0x1F], [0x5F, 0xFF], [0x7F, 0xFF], [0x9F, 0xFF], [0xA0],
            [0xC0, 0],
            [0xF7], [0xFB, 0, 0], [0x65, 0x41], [0x9B] + [UInt8](repeating: 0xFF, count: 8),
            [0x7B] + [UInt8](repeating: 0xFF, count: 8), [0x85, 0x01],
        ] as [[UInt8]])
    func damage(bytes: [UInt8]) {
        let readers: [(inout CBORReader) -> Bool] = [
            { $0.unsigned() == nil }, { $0.signed() == nil }, { $0.double() == nil }, { $0.bool() == nil },
            { $0.text() == nil || $0.isDamaged }, { $0.utf8().isEmpty }, { $0.byteString().isEmpty },
            { $0.texts().allSatisfy(\.isEmpty) },
        ]
        for (number, reader) in readers.enumerated() {
            let (result, isDamaged) = read(bytes) { (isEmpty: reader(&$0), left: $0.left) }
            #expect(result.isEmpty && result.left == 0 && isDamaged, "\(number)")
        }
    }

    @Test("An integer beyond the range of Int64 is damage where an Int64 is wanted")
    func range() {
        #expect(read([0x1B] + [UInt8](repeating: 0xFF, count: 8)) { $0.signed() } == (nil, true))
        #expect(read([0x3B] + [UInt8](repeating: 0xFF, count: 8)) { $0.signed() } == (nil, true))
    }
}
